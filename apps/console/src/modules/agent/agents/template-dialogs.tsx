import {
  agentTemplates,
  type TemplateDetail,
  TemplateInput,
  type TemplateRow,
  type TemplatePreview as Preview,
} from '@oms/contract/agent/templates/template.ts'
import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { Drawer, Form, Modal, Tag } from 'antd'
import { call } from '#core/api/client.ts'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { NumberField, SwitchField, TextField, Field } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { selectAcceptedFields } from '#kit/form/form-values.ts'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer, useFormModal } from '#kit/form/use-form-modal.ts'
import { HistoryFields, PromptFields, VoiceFields, toSaveInput } from './agent-fields.tsx'
import { PluginFields } from './plugin-fields.tsx'
import { AgentPicker } from '../agent-picker.tsx'

const NEW = { sort: 100, status: 1, chatHistoryConf: 2, memoryScope: 1, langCode: 'zh', language: '中文', plugins: [] }

type Save = typeof agentTemplates.create | typeof agentTemplates.update

/** Converts form values to the input of a save. Templates have no context sources. */
const toInput = <E extends Save>(endpoint: E, values: Readonly<Record<string, unknown>>) =>
  selectAcceptedFields(endpoint, toSaveInput(values)) as InputOf<E>

/** Creates a template. */
export function TemplateAddForm({ onClose }: { onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(agentTemplates.create, {
    onClose,
    initial: NEW as object,
    input: (values) => toInput(agentTemplates.create, values),
  })
  return (
    <Drawer {...drawer} title="新增模板" footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <Fields />
      </Form>
    </Drawer>
  )
}

/** Edits a template. Agents that were created from the template do not change. */
export function TemplateEditForm({ row, onClose }: { row: TemplateRow; onClose(): void }) {
  const read = () => call(agentTemplates.get, { id: row.id }, { quiet: true })
  return (
    <FreshRecord of={row.id} read={read} layer="drawer" title="编辑模板" onClose={onClose}>
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, onClose }: { row: TemplateDetail; onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(agentTemplates.update, {
    onClose,
    initial: row as object,
    latest: async () => (await call(agentTemplates.get, { id: row.id })) as object,
    input: (values) => toInput(agentTemplates.update, values),
  })
  return (
    <Drawer {...drawer} title={`编辑模板「${row.templateName}」`} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <Fields tenantId={row.tenantId} />
      </Form>
    </Drawer>
  )
}

function Fields({ tenantId }: { tenantId?: number }) {
  const owner = tenantId === undefined ? {} : { tenantId }
  const read = useRead(agentTemplates.choices, owner, { quiet: true })
  const { data: choices } = read
  if (!choices) return <Waiting reads={[read]} />
  const isPlain = (field: { secret: boolean }) => !field.secret
  const plugins = choices.plugins.map((plugin) => ({ ...plugin, fields: plugin.fields.filter(isPlain) }))
  return (
    <>
      <div className="kit-pair">
        <TextField of={TemplateInput} name="templateName" />
        <NumberField of={TemplateInput} name="sort" hint="最小的启用模板是默认模板" />
      </div>
      <PromptFields choices={choices} />
      <VoiceFields choices={choices} calls={agentTemplates} {...owner} />
      <HistoryFields choices={choices} />
      <PluginFields choices={{ ...choices, plugins }} secrets={{}} />
      <p className="kit-muted">
        模板不保存密钥：插件的密钥在智能体中填写。没有选择大语言模型、小模型或语音合成时，新智能体使用默认模型。
      </p>
      <SwitchField of={TemplateInput} name="status" />
    </>
  )
}

const OF = agentTemplates.make.input

/** Dialog that makes a template from an agent. */
export function TemplateMake({ onClose }: { onClose(): void }) {
  const { modal, form } = useFormModal(agentTemplates.make, { onClose, initial: { sort: 100 } })
  return (
    <Modal title="由智能体创建模板" {...modal}>
      <Form {...form}>
        <Field of={OF} name="agentId" hint="复制角色设定、模型、音色和插件；不复制密钥、上下文来源和替换词">
          <AgentPicker from={agentTemplates.agents} />
        </Field>
        <TextField of={OF} name="templateName" />
        <NumberField of={OF} name="sort" hint="最小的启用模板是默认模板" />
      </Form>
    </Modal>
  )
}

/** Shown instead of the name of a model or voice that is not shared with the tenant. */
const CLOSED = '未开放给客户'

/** Shows prompt, models and plugins of a template. */
export function TemplatePreview({ row, onClose }: { row: TemplateRow; onClose(): void }) {
  const { data, error, refetch } = useRead(agentTemplates.preview, { id: row.id }, { quiet: true })
  return (
    <Drawer open title={`预览模板「${row.templateName}」`} size="min(640px, 100vw)" onClose={onClose}>
      {data ? <Content preview={data} /> : <Waiting reads={[{ error, refetch }]} />}
    </Drawer>
  )
}

const Content = ({
  preview: { prompt, models, voiceName, isVoiceClosed, plugins, isDefault },
}: {
  preview: Preview
}) => (
  <>
    {isDefault && <p className="kit-muted">新增智能体时不选模板，即使用该模板。</p>}
    <h3 className="kit-heading">角色设定</h3>
    <p className="kit-code kit-muted">{prompt || '未填写'}</p>
    <h3 className="kit-heading">模型</h3>
    <dl className="kit-facts">
      {models.map(({ field, title, name, status, isClosed }) => (
        <div key={field}>
          <dt>{title}</dt>
          <dd>
            {name || (isClosed ? CLOSED : '已被删除')} {name !== '' && status !== 1 && <Tag>已停用</Tag>}
          </dd>
        </div>
      ))}
      <div>
        <dt>音色</dt>
        <dd>{voiceName || (isVoiceClosed ? CLOSED : '未选择')}</dd>
      </div>
      <div>
        <dt>插件</dt>
        <dd>{plugins.join('、') || '无'}</dd>
      </div>
    </dl>
  </>
)
