import { voiceprints } from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { VoiceprintAddForm, VoiceprintEditForm } from '#modules/agent/voices/voiceprint-dialogs.tsx'
import { type FormCase, buildOptions } from './form-case.ts'

const audioId = 'a'.repeat(32)
const TURNS = {
  list: [{ audioId, content: '你好', speaker: '', deviceName: '客厅', seconds: 3, reportTime: '2030-01-01 08:00:00' }],
}

/** Forms of voiceprints. */
export const VOICEPRINT_CASES: readonly FormCase[] = [
  {
    name: '登记声纹',
    file: 'agent/voices/voiceprint-dialogs.tsx',
    save: voiceprints.create,
    field: 'name',
    reads: [
      [voiceprints.agents, buildOptions({ tenantName: '客户' })],
      [voiceprints.turns, TURNS],
    ],
    form: (close) => <VoiceprintAddForm initial={{ agentId: 1, audioId }} onClose={close} />,
  },
  {
    name: '编辑声纹',
    file: 'agent/voices/voiceprint-dialogs.tsx',
    save: voiceprints.update,
    field: 'name',
    record: { read: voiceprints.get, values: { audioId } },
    reads: [[voiceprints.turns, TURNS]],
    form: (close, row) => <VoiceprintEditForm row={row as never} onClose={close} />,
  },
]
