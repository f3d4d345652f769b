import { VoiceCloneInput, type VoiceCloneRow, voiceClones } from '@oms/contract/agent/voices/voice-clone.ts'
import { TextField } from '#kit/form/field.tsx'
import { RecordForm } from '#kit/form/record-form.tsx'

interface Props {
  readonly row: VoiceCloneRow
  onClose(): void
}

/** Changes the name of a cloned voice. */
export const CloneRename = ({ row, onClose }: Props) => (
  <RecordForm calls={voiceClones} noun="克隆音色" row={row} nameOf={({ name }) => name} onClose={onClose}>
    {() => <TextField of={VoiceCloneInput} name="name" />}
  </RecordForm>
)
