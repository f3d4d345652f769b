import {
  agentTemplates,
  type TemplateDetail,
  TemplateInput,
  type TemplateRow,
} from '@oms/contract/agent/templates/template.ts'
import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { Drawer, Form } from 'antd'
import { call } from '#core/api/client.ts'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { NumberField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { selectAcceptedFields } from '#kit/form/form-values.ts'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { HistoryFields, PromptFields, VoiceFields } from '../agents/agent-fields.tsx'
import { toSaveInput } from '../agents/agent-values.ts'
import { PluginFields } from '../agents/plugin-fields.tsx'

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
