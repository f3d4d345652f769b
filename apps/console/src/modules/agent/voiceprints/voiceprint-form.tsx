import type { InputOf } from '@oms/contract/core/endpoint.ts'
import {
  GOOD_SAMPLE_SECONDS,
  VoiceprintChange,
  VoiceprintInput,
  type VoiceprintRow,
  voiceprints,
} from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { Form, Modal } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { Field, NoteField, TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { AgentTurnPicker, VoiceTurnPicker } from '../voices/voice-turn-picker.tsx'
import { AgentPicker } from './voiceprint-pickers.tsx'

interface AddProps {
  readonly initial?: Partial<InputOf<typeof voiceprints.create>>
  readonly onClose: () => void
}

/** Enrols a speaker with the audio of a user turn. */
export function VoiceprintAddForm({ initial, onClose }: AddProps) {
  const { modal, form } = useFormModal(voiceprints.create, { onClose, ...(initial && { initial }) })
  return (
    <Modal title="登记声纹" width={640} {...modal} okText="登记">
      <p className="kit-hint">设备再次听到这个人说话时，智能体会知道是谁。请先征得本人同意。</p>
      <Form {...form}>
        <Field of={VoiceprintInput} name="agentId">
          <AgentPicker />
        </Field>
        <TextField of={VoiceprintInput} name="name" />
        <NoteField of={VoiceprintInput} name="introduction" rows={2} />
        <Field
          of={VoiceprintInput}
          name="audioId"
          hint={`请选择 ${GOOD_SAMPLE_SECONDS} 秒以上、只有一个人说话的语音。`}
        >
          <AgentTurnPicker />
        </Field>
      </Form>
    </Modal>
  )
}

interface EditProps {
  readonly row: VoiceprintRow
  readonly onClose: () => void
}

/** Changes a speaker, and replaces the enrolled audio when another turn is chosen. */
export function VoiceprintEditForm({ row, onClose }: EditProps) {
  const read = () => readFresh(voiceprints.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} title="编辑声纹" onClose={onClose}>
      {(fresh) => <EditForm fresh={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ fresh, onClose }: { readonly fresh: VoiceprintRow; readonly onClose: () => void }) {
  const { modal, form } = useFormModal(voiceprints.update, {
    onClose,
    initial: fresh,
    latest: () => call(voiceprints.get, { id: fresh.id }),
  })
  return (
    <Modal title={`编辑声纹「${fresh.name}」`} width={640} {...modal}>
      <Form {...form}>
        <TextField of={VoiceprintChange} name="name" />
        <NoteField of={VoiceprintChange} name="introduction" rows={2} />
        <Field of={VoiceprintChange} name="audioId" hint="选择另一段语音会替换已登记的声纹。">
          <VoiceTurnPicker agentId={fresh.agentId} />
        </Field>
      </Form>
    </Modal>
  )
}
