import { agents } from '@oms/contract/agent/agents/agent.ts'
import { readAccessPoint } from './access-point.ts'
import { agentVersions } from '@oms/contract/agent/agents/agent-version.ts'
import { tryOut } from '@oms/contract/agent/agents/try-out.ts'
import { wordFiles } from '@oms/contract/agent/agents/word-file.ts'
import { implement } from '#core/http/implement.ts'
import { listAgentFormOptions, listDevices, listVoices } from './agent-form-options.ts'
import { exportAgents, getAgent, listAgents } from './agent-list.ts'
import { createAgent, disableAgent, enableAgent, removeAgent, updateAgent } from './agent-save.ts'
import { askAgent } from './try-out.ts'
import { diffVersions, listAgentVersions as listVersions, restoreVersion, setVersionNote } from './version.ts'
import { createWords, getWords, listWords, removeWords, updateWords } from './word-file.ts'

export const agentModules = [
  implement(
    agents,
    {
      list: listAgents,
      get: getAgent,
      create: createAgent,
      update: updateAgent,
      remove: removeAgent,
      enable: enableAgent,
      disable: disableAgent,
      choices: listAgentFormOptions,
      voices: listVoices,
      devices: listDevices,
      export: exportAgents,
      accessPoint: readAccessPoint,
    },
    // Runs without a transaction, because the call to the access point may take seconds.
    { outsideTransaction: ['accessPoint'] },
  ),
  implement(agentVersions, {
    list: listVersions,
    diff: diffVersions,
    note: setVersionNote,
    restore: restoreVersion,
  }),
  implement(tryOut, { ask: askAgent }, { outsideTransaction: ['ask'] }),
  implement(wordFiles, {
    list: listWords,
    get: getWords,
    create: createWords,
    update: updateWords,
    remove: removeWords,
  }),
]
