import { agents } from '@oms/contract/agent/agents/agent.ts'
import { Alert, Form, Modal } from 'antd'
import { TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'

interface Props {
  readonly agent: { readonly id: number; readonly agentName: string; readonly deviceCount: number }
  onClose(): void
  onRemoved(): void
}

/** Dialog that deletes an agent after its name is typed. */
export function AgentRemove({ agent: { id, agentName, deviceCount }, onClose, onRemoved }: Props) {
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
