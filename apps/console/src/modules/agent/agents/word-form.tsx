import type { AgentDetail } from '@oms/contract/agent/agents/agent.ts'
import { type WordFileRow, wordFiles } from '@oms/contract/agent/agents/word-file.ts'
import { Checkbox, Form } from 'antd'
import { NoteField, TextField } from '#kit/form/field.tsx'
import { RecordForm } from '#kit/form/record-form.tsx'

interface Props {
  readonly row: WordFileRow | 'new'
  readonly agent: Pick<AgentDetail, 'id' | 'agentName' | 'tenantId'>
  onClose(): void
}

/** Dialog that adds or edits a word file. */
export const WordForm = ({ row, agent, onClose }: Props) => (
  <RecordForm
    calls={wordFiles}
    noun="替换词文件"
    row={row === 'new' ? row : { ...row, words: '' }}
    nameOf={({ name }) => name}
    initial={{ tenantId: agent.tenantId, agentId: agent.id }}
    onClose={onClose}
  >
    {(edited) => (
      <>
        <TextField of={wordFiles.create.input} name="name" />
        <NoteField of={wordFiles.create.input} name="words" rows={12} />
        {!edited && <UseInAgent agent={agent} />}
      </>
    )}
  </RecordForm>
)

/** Checkbox with the id of the agent as its value: the agent uses the new file, in a new version. */
const UseInAgent = ({ agent: { id, agentName } }: Pick<Props, 'agent'>) => (
  <Form.Item
    name="agentId"
    valuePropName="checked"
    extra="不勾选时，可在「设定与试用」的「替换词」中选择"
    getValueProps={(value: unknown) => ({ checked: value === id })}
    normalize={(isChecked: boolean) => (isChecked ? id : undefined)}
  >
    <Checkbox>用于智能体「{agentName}」，保存后生成新版本</Checkbox>
  </Form.Item>
)
