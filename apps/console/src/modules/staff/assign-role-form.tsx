import { staff } from '@oms/contract/staff.ts'
import { Form, Modal } from 'antd'
import { useFormModal } from '#kit/use-form-modal.ts'
import { RoleField } from './role-field.tsx'
import { nameOf, type Staff } from './use-staff-actions.tsx'

/** The roles of one user, for those who may assign them and need nothing else. */
export function AssignRoleForm({ row, onClose }: { row: Staff; onClose(): void }) {
  const { modal, form } = useFormModal(staff.assignRole, {
    onClose,
    initial: { uid: row.uid, roleIds: row.roleIds },
  })
  return (
    <Modal title={`分配角色 ${nameOf(row)}`} {...modal}>
      <Form {...form}>
        <RoleField hint="保存后立即对已登录的会话生效" />
      </Form>
    </Modal>
  )
}
