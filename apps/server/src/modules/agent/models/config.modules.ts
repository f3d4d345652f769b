import { agentModels } from '@oms/contract/agent/models/config.ts'
import { agentProviders } from '@oms/contract/agent/models/provider.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { getModel, listModels, listModelOptions } from './model-rows.ts'
import {
  copyModel,
  createModel,
  disableModel,
  enableModel,
  removeModel,
  revealModelSecret,
  setDefaultModel,
  updateModel,
} from './model-save.ts'
import { testModel } from './model-test.ts'
import { createProvider, getProvider, listProviders, removeProvider, updateProvider } from './provider.ts'

const modelModule = implement(
  agentModels,
  {
    list: listModels,
    options: listModelOptions,
    get: getModel,
    create: createModel,
    update: updateModel,
    remove: removeModel,
    copy: copyModel,
    setDefault: setDefaultModel,
    enable: enableModel,
    disable: disableModel,
    test: testModel,
    reveal: revealModelSecret,
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
