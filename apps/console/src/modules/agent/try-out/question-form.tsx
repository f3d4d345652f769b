import { agentQuestions, type QuestionRow } from '@oms/contract/agent/try-out/question.ts'
import { Select } from 'antd'
import { Field, NoteField } from '#kit/form/field.tsx'
import { RecordForm } from '#kit/form/record-form.tsx'

interface Props {
  readonly row: QuestionRow | 'new'
  readonly agentId: number
  onClose(): void
}

const OF = agentQuestions.create.input

/** Dialog that adds or edits a question kept with an agent. */
export const QuestionForm = ({ row, agentId, onClose }: Props) => (
  <RecordForm
    calls={agentQuestions}
    noun="测试问题"
    row={row}
    nameOf={({ question }) => (question.length > 16 ? `${question.slice(0, 16)}…` : question)}
    initial={{ agentId }}
    onClose={onClose}
  >
    {() => (
      <>
        <NoteField of={OF} name="question" rows={3} />
        <Field of={OF} name="mustHave" hint="回答缺少其中任何一个词都会标出">
          <WordSelect />
        </Field>
        <Field of={OF} name="mustNotHave" hint="回答出现其中任何一个词都会标出">
          <WordSelect />
        </Field>
      </>
    )}
  </RecordForm>
)

const WordSelect = (field: object) => (
  <Select
    {...field}
    mode="tags"
    tokenSeparators={[',', '，']}
    maxCount={10}
    placeholder="输入后按回车，最多10个"
    open={false}
    suffixIcon={null}
  />
)
