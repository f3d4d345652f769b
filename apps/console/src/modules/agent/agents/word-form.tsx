import { type WordFileRow, wordFiles } from '@oms/contract/agent/agents/word-file.ts'
import { NoteField, TextField } from '#kit/form/field.tsx'
import { RecordForm } from '#kit/form/record-form.tsx'

interface Props {
  readonly row: WordFileRow | 'new'
  readonly tenantId: number
  onClose(): void
}

/** Dialog that adds or edits a word file. */
export const WordForm = ({ row, tenantId, onClose }: Props) => (
  <RecordForm
    calls={wordFiles}
    noun="替换词文件"
    row={row === 'new' ? row : { ...row, words: '' }}
    nameOf={({ name }) => name}
    initial={{ tenantId }}
    onClose={onClose}
  >
    {() => (
      <>
        <TextField of={wordFiles.create.input} name="name" />
        <NoteField of={wordFiles.create.input} name="words" rows={12} />
      </>
    )}
  </RecordForm>
)
