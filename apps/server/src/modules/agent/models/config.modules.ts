import { agentModels } from '@oms/contract/agent/models/config.ts'
import { agentProviders } from '@oms/contract/agent/models/provider.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { get, list, listModelOptions } from './model-rows.ts'
import { copy, create, disable, enable, remove, reveal, setDefault, update } from './model-save.ts'
import { testModel } from './model-test.service.ts'
import { createProvider, getProvider, listProviders, removeProvider, updateProvider } from './provider.service.ts'

const modelModule = implement(
  agentModels,
  {
    list,
    options: listModelOptions,
    get,
    create,
    update,
    remove,
    copy,
    setDefault,
    enable,
    disable,
    test: testModel,
    reveal,
  },
  { outsideTransaction: ['test'] },
)
const providerModule = implement(agentProviders, {
  list: listProviders,
  get: getProvider,
  create: createProvider,
  update: updateProvider,
  remove: removeProvider,
})

export const agentConfigModules: readonly Module[] = [modelModule, providerModule]
