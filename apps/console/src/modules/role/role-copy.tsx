import { RoleInput, role } from '@oms/contract/role/role.ts'
import { Form, Modal } from 'antd'
import { TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import type { Role } from './use-role-actions.ts'

/** Form that copies a role with its permissions under a new name. */
export function RoleCopy({ role: source, onClose }: { role: Role; onClose(): void }) {
  const { modal, form } = useFormModal(role.copy, {
    onClose,
    initial: {
      id: source.id,
      roleName: `${source.roleName.slice(0, 27)} 副本`,
      roleCode: `${source.roleCode.slice(0, 45)}_copy`,
    },
  })
  return (
    <Modal title={`复制角色「${source.roleName}」`} {...modal}>
      <p>权限、数据范围和首页地址一并复制，用户不复制。</p>
      <Form {...form}>
        <TextField of={RoleInput} name="roleName" />
        <TextField of={RoleInput} name="roleCode" />
      </Form>
    </Modal>
  )
}
