import { agentVoices } from '@oms/contract/agent/voices/voice.ts'
import { voiceClones } from '@oms/contract/agent/voices/voice-clone.ts'
import { implement } from '#core/http/implement.ts'
import { getClone, getCloneFeature, listCloneModels, listClones } from './voice-clone-rows.ts'
import { createClone, removeClone, renameClone, retryClone } from './voice-clone-save.ts'
import { exportVoices, getVoice, listVoices, listVoiceUses } from './voice-rows.ts'
import { createVoice, disableVoice, enableVoice, removeVoice, updateVoice } from './voice-save.ts'
import { testVoice } from './voice-test.ts'

export const agentVoiceModule = implement(
  agentVoices,
  {
    list: listVoices,
    get: getVoice,
    create: createVoice,
    update: updateVoice,
    remove: removeVoice,
    enable: enableVoice,
    disable: disableVoice,
    export: exportVoices,
    uses: listVoiceUses,
    test: testVoice,
  },
  { outsideTransaction: ['test'] },
)

export const voiceCloneModule = implement(voiceClones, {
  list: listClones,
  feature: getCloneFeature,
  models: listCloneModels,
  get: getClone,
  create: createClone,
  update: renameClone,
  retry: retryClone,
  remove: removeClone,
})
