import { VoiceCloneInput, voiceClones } from '@oms/contract/agent/voices/voice-clone.ts'
import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { UPLOAD } from '@oms/contract/core/upload.ts'
import { Form, Modal } from 'antd'
import { useRead } from '#core/api/query.ts'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { Field, TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { FileUpload } from '#kit/upload/file-upload.tsx'

interface CloneFormProps {
  readonly initial?: Partial<InputOf<typeof voiceClones.create>>
  readonly onClose: () => void
}

/** Submits a recording for the training of a cloned voice. */
export function CloneForm({ initial, onClose }: CloneFormProps) {
  const { modal, form } = useFormModal(voiceClones.create, { onClose, ...(initial && { initial }) })
  return (
    <Modal title="新增克隆音色" width={640} {...modal} okText="提交训练">
      <p className="kit-hint">录音会发送给火山引擎训练音色。只能克隆同意者本人的声音，同意人和同意时间会随音色保存。</p>
      <Form {...form}>
        <Field of={VoiceCloneInput} name="modelId" hint="只列出本客户自己的火山双向流式语音合成模型">
          <CloneModelSelect />
        </Field>
        <div className="kit-pair">
          <TextField of={VoiceCloneInput} name="name" />
          <TextField of={VoiceCloneInput} name="voiceId" hint="在火山引擎购买的音色，以 S_ 开头" />
        </div>
        <Field of={VoiceCloneInput} name="recording" hint="8～60 秒，只有一个人说话，没有背景声">
          <FileUpload rule={UPLOAD.agentAudio} purpose="agentAudio" />
        </Field>
        <div className="kit-pair">
          <TextField of={VoiceCloneInput} name="consentSpeaker" hint="录音中说话的人" />
          <DateTimeField of={VoiceCloneInput} name="consentTime" />
        </div>
      </Form>
    </Modal>
  )
}

/** Selects a model that trains clones. */
function CloneModelSelect(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(voiceClones.models, { keyword }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name, code }) => ({ value: id, label: `${name}（${code}）` }))
  return <RecordSelect placeholder="请选择语音合成模型" {...props} source={{ options, read, onSearch }} />
}
