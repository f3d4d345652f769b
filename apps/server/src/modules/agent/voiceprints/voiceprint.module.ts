import { voiceprints } from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { implement } from '#core/http/implement.ts'
import { createVoiceprint, removeVoiceprint, updateVoiceprint } from './voiceprint-enrol.ts'
import { listAgentOptions, getVoiceprint, listTurns, listVoiceprints, sendAudio } from './voiceprint-rows.ts'
import { getServiceState, testFile, testTurn } from './voiceprint-test.ts'

export const voiceprintModule = implement(
  voiceprints,
  {
    list: listVoiceprints,
    service: getServiceState,
    agents: listAgentOptions,
    turns: listTurns,
    audio: sendAudio,
    get: getVoiceprint,
    create: createVoiceprint,
    update: updateVoiceprint,
    remove: removeVoiceprint,
    test: testTurn,
    testFile,
  },
  // These calls run outside a transaction. Requests to the voiceprint service can take seconds. The list of turns opens
  // its own transaction for its row of the operation log.
  { outsideTransaction: ['service', 'turns', 'create', 'update', 'remove', 'test', 'testFile'] },
)
