import { staff } from '@oms/contract/account/staff.ts'
import { Form, Modal } from 'antd'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { readStaff } from './read-staff.ts'
import { RoleField } from './role-field.tsx'
import { formatStaffName, type Staff } from './use-staff-actions.tsx'

/** Form that assigns roles to an account. It needs only the permission to assign roles. */
export function AssignRoleForm({ row, onClose }: { row: Staff; onClose(): void }) {
  return (
    <FreshRecord of={row.uid} read={() => readStaff(row)} title={`分配角色 ${formatStaffName(row)}`} onClose={onClose}>
      {(fresh) => <RolesForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function RolesForm({ row, onClose }: { row: Staff; onClose(): void }) {
  const { modal, form } = useFormModal(staff.assignRole, {
    onClose,
    initial: { uid: row.uid, roleIds: row.roleIds },
  })
  return (
    <Modal title={`分配角色 ${formatStaffName(row)}`} {...modal}>
      <Form {...form}>
        <RoleField hint="保存后立即对已登录的会话生效" />
      </Form>
    </Modal>
  )
}
