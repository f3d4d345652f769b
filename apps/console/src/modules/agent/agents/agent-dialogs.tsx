import { type AgentChoices, agents, type AgentDetail } from '@oms/contract/agent/agents/agent.ts'
import { Alert, Form, Modal, Checkbox, Button } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useNavigate } from 'react-router'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { Field, SelectField, TextField, NoteField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { agentDetailPath } from './agent.tsx'
import { type WordFileRow, wordFiles } from '@oms/contract/agent/agents/word-file.ts'
import { RecordForm } from '#kit/form/record-form.tsx'
import { agentVersions } from '@oms/contract/agent/agents/agent-version.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { type DiffPart, diffTexts } from './text-diff.ts'
import './agent.css'

const OF = agents.create.input

/**
 * Dialog that creates an agent from its name and a template. Then opens the agent's page, or passes the agent to the
 * select that opened the dialog.
 */
export function AgentAddForm({ onClose, onCreated }: Pick<CreateFormProps, 'onClose'> & Partial<CreateFormProps>) {
  const navigate = useNavigate()
  const { modal, form } = useFormModal(agents.create, {
    onClose,
    onSaved: ({ id }, { agentName }) =>
      onCreated ? onCreated({ id, name: agentName }) : void navigate(agentDetailPath(id)),
  })
  const hasTenants = useHasManyTenants()
  const tenantId = Form.useWatch<number | undefined>('tenantId', form.form)
  const read = useRead(agents.choices, tenantId ? { tenantId } : {}, { quiet: true })
  const templateId = Form.useWatch<number | undefined>('templateId', form.form)
  const templates = read.data?.templates ?? []
  const chosen = templates.find(({ id }) => id === templateId) ?? templates[0]
  return (
    <Modal title="新增智能体" {...modal}>
      <Form {...form}>
        <TextField of={OF} name="agentName" />
        {hasTenants && (
          <Field of={OF} name="tenantId" hint="不选时属于当前客户">
            <TenantPicker onlyEnabled create="tenant" />
          </Field>
        )}
        <SelectField
          of={OF}
          name="templateId"
          read={read}
          options={templates.map(({ id, name }) => ({ value: id, label: name }))}
          hint={templates[0] && `不选时使用默认模板「${templates[0].name}」`}
        />
        {chosen && <TemplateText template={chosen} />}
      </Form>
    </Modal>
  )
}

/** Shows the prompt of a template, and which of its models the tenant may not use. */
const TemplateText = ({ template: { systemPrompt, replaced } }: { template: AgentChoices['templates'][number] }) => (
  <>
    {systemPrompt && <p className="kit-code kit-muted">{systemPrompt}</p>}
    {replaced.length > 0 && (
      <Alert
        style={{ marginTop: 12 }}
        type="warning"
        showIcon
        title={`所属客户不能使用模板的${replaced.join('、')}，新智能体改用默认模型`}
      />
    )}
  </>
)

/** Dialog that deletes an agent after its name is typed. */
export function AgentRemove({
  agent: { id, agentName, deviceCount },
  onClose,
  onRemoved,
}: {
  readonly agent: { readonly id: number; readonly agentName: string; readonly deviceCount: number }
  onClose(): void
  onRemoved(): void
}) {
  const { modal, form } = useFormModal(agents.remove, { onClose, initial: { id }, onSaved: onRemoved })
  const devices = deviceCount > 0 ? `，${deviceCount} 台设备将解除绑定` : ''
  return (
    <Modal
      title={`删除智能体「${agentName}」`}
      {...modal}
      okText="删除"
      okButtonProps={{ ...modal.okButtonProps, danger: true }}
    >
      <Form {...form}>
        <Alert
          type="warning"
          showIcon
          className="kit-note"
          title={`删除后不能恢复${devices}，登记的声纹一并删除。请输入智能体名称确认。`}
        />
        <TextField of={agents.remove.input} name="agentName" />
      </Form>
    </Modal>
  )
}

interface WordFormProps {
  readonly row: WordFileRow | 'new'
  readonly agent: Pick<AgentDetail, 'id' | 'agentName' | 'tenantId'>
  onClose(): void
}

/** Dialog that adds or edits a word file. */
export const WordForm = ({ row, agent, onClose }: WordFormProps) => (
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
const UseInAgent = ({ agent: { id, agentName } }: Pick<WordFormProps, 'agent'>) => (
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

/** Shows the fields in which a version differs from the version in force, the older version on the left. */
export function DiffDialog({
  agentId,
  versionNo,
  onClose,
}: {
  readonly agentId: number
  readonly versionNo: number
  onClose(): void
}) {
  const { data, error, refetch } = useRead(
    agentVersions.diff,
    { id: agentId, versionNo },
    { quiet: true, keepPrevious: false },
  )
  const isOlder = data !== undefined && versionNo < data.against
  const titles = data ? ordered(isOlder, `v${data.against}（当前）`, `v${versionNo}`) : []
  return (
    <Modal
      open
      title={data ? `${titles.join(' 与 ')} 的差异` : '版本差异'}
      width="min(900px, 96vw)"
      footer={<Button onClick={onClose}>关闭</Button>}
      onCancel={onClose}
    >
      {!data && <Waiting reads={[{ error, refetch }]} rows={3} />}
      {data?.list.length === 0 && <p>两个版本没有差异。</p>}
      <div className="kit-stack">
        {data && data.list.length > 0 && (
          <div className="kit-muted agent-diff-sides">
            {titles.map((title) => (
              <span key={title}>{title}</span>
            ))}
          </div>
        )}
        {data?.list.map(({ field, title, from, to }) => (
          <FieldDiff key={field} title={title} sides={ordered(isOlder, from, to)} />
        ))}
      </div>
    </Modal>
  )
}

/** Returns both values with the older version first. The call returns the value in force first. */
const ordered = (isOlder: boolean, inForce: string, other: string) =>
  isOlder ? ([other, inForce] as const) : ([inForce, other] as const)

function FieldDiff({ title, sides: [before, after] }: { title: string; sides: readonly [string, string] }) {
  const [from, to] = diffTexts(before, after)
  return (
    <div>
      <b>{title}</b>
      <div className="agent-diff-sides">
        <Side pieces={from} />
        <Side pieces={to} />
      </div>
    </div>
  )
}

const Side = ({ pieces }: { pieces: readonly DiffPart[] }) => (
  <div>
    {pieces.every(({ text }) => text === '')
      ? '（空）'
      : pieces.map(({ text, isChanged }, at) =>
          // oxlint-disable-next-line react/no-array-index-key -- pieces have no identity and never move
          isChanged ? <mark key={at}>{text}</mark> : text,
        )}
  </div>
)
