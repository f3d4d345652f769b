import { type AgentChoices, agents } from '@oms/contract/agent/agents/agent.ts'
import { Alert, Form, Modal } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useNavigate } from 'react-router'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { Field, SelectField, TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { agentDetailPath } from './agent-cells.tsx'

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
