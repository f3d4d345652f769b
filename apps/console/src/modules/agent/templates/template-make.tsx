import { agentTemplates } from '@oms/contract/agent/templates/template.ts'
import { Form, Modal } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Field, NumberField, TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'

const OF = agentTemplates.make.input

/** Dialog that makes a template from an agent. */
export function TemplateMake({ onClose }: { onClose(): void }) {
  const { modal, form } = useFormModal(agentTemplates.make, { onClose, initial: { sort: 100 } })
  return (
    <Modal title="由智能体创建模板" {...modal}>
      <Form {...form}>
        <Field of={OF} name="agentId" hint="复制角色设定、模型、音色和插件；不复制密钥、上下文来源和替换词">
          <TemplateAgentSelect />
        </Field>
        <TextField of={OF} name="templateName" />
        <NumberField of={OF} name="sort" hint="最小的启用模板是默认模板" />
      </Form>
    </Modal>
  )
}

function TemplateAgentSelect(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const isMany = useHasManyTenants()
  const { data, isFetching, error, refetch } = useRead(agentTemplates.agents, { keyword }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, name, tenantName }) => ({
    value: id,
    label: isMany && tenantName !== '' ? `${name} · ${tenantName}` : name,
  }))
  return (
    <RecordSelect {...props} placeholder="请选择智能体" source={{ options, isFetching, error, refetch, onSearch }} />
  )
}
