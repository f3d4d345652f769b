import { agentVoices, VoiceInput, type VoiceRow } from '@oms/contract/agent/voices/voice.ts'
import { UPLOAD } from '@oms/contract/core/upload.ts'
import { Field, NoteField, NumberField, SwitchField, TextField } from '#kit/form/field.tsx'
import { RecordForm } from '#kit/form/record-form.tsx'
import { FileUpload } from '#kit/upload/file-upload.tsx'
import { SpeechModelSelect } from './speech-model-select.tsx'

/** Creates or edits a voice. */
export const VoiceForm = ({ row, onClose }: { row: VoiceRow | 'new'; onClose(): void }) => (
  <RecordForm
    calls={agentVoices}
    noun="音色"
    row={row}
    nameOf={({ name }) => name}
    initial={{ sort: 0, status: 1 }}
    toForm={(voice) => ({ ...voice, status: voice.status as 0 | 1 })}
    onClose={onClose}
  >
    {(fresh) => <Fields row={fresh} />}
  </RecordForm>
)

const Fields = ({ row }: { row: VoiceRow | undefined }) => (
  <>
    <Field of={VoiceInput} name="modelId">
      <SpeechModelSelect chosen={row && { id: row.modelId, name: row.modelName }} />
    </Field>
    <div className="kit-pair">
      <TextField of={VoiceInput} name="name" />
      <TextField of={VoiceInput} name="code" hint="厂商提供的音色编码" />
    </div>
    <div className="kit-pair">
      <TextField of={VoiceInput} name="languages" hint="多个语言用顿号分隔，第一个为默认" />
      <NumberField of={VoiceInput} name="sort" />
    </div>
    <Field of={VoiceInput} name="demoFile">
      <FileUpload
        rule={UPLOAD.agentAudio}
        purpose="agentDemo"
        names={row?.demoFile ? { [row.demoFile]: row.demoFileName } : {}}
      />
    </Field>
    <TextField of={VoiceInput} name="demoUrl" hint="可公开访问的音频地址，没有试听文件时使用" />
    <TextField of={VoiceInput} name="referenceAudio" hint="克隆类模型使用：语音服务上的音频路径" />
    <NoteField of={VoiceInput} name="referenceText" rows={2} />
    <SwitchField of={VoiceInput} name="status" />
    <NoteField of={VoiceInput} name="remark" rows={2} />
  </>
)
