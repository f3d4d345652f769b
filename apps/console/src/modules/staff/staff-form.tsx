import { StaffInput, staff } from '@oms/contract/staff.ts'
import { Drawer, Form } from 'antd'
import { useCan } from '#kernel/session.tsx'
import { NoteField, SelectField, TextField } from '#kit/field.tsx'
import { DateTimeField } from '#kit/field-date.tsx'
import { FormFooter } from '#kit/form-footer.tsx'
import { useFormDrawer } from '#kit/use-form-modal.ts'
import { RoleField } from './role-field.tsx'
import type { Staff } from './use-staff-actions.tsx'

/** Makes a user; the one-time password comes back with the answer. */
export function StaffAddForm(props: { onClose(): void; onMade(made: { account: string; password: string }): void }) {
  const { drawer, footer, form } = useFormDrawer(staff.create, { onClose: props.onClose, onSaved: props.onMade })
  return (
    <Drawer title="新增用户" {...drawer} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <TextField of={StaffInput} name="account" hint="用于登录，4～30 个字符，创建后不能修改" />
        <TextField of={StaffInput} name="realname" />
        <TextField of={StaffInput} name="nickname" />
        <Roles />
        <TextField of={StaffInput} name="mobileNo" />
        <TextField of={StaffInput} name="email" />
        <Rest />
      </Form>
    </Drawer>
  )
}

const EDIT = staff.update.input

/** Changes a user. Numbers shown masked stay as they are unless they are typed anew. */
export function StaffEditForm({ row, onClose }: { row: Staff; onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(staff.update, { onClose, initial: row, input: inputOf(useCan()) })
  return (
    <Drawer title={`编辑用户 ${row.account}`} {...drawer} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <TextField of={StaffInput} name="realname" />
        <TextField of={StaffInput} name="nickname" />
        <Roles />
        <TextField of={EDIT} name="mobileNo" hint={row.mobileNo?.includes('*') && MASKED} />
        <TextField of={EDIT} name="email" hint={row.email?.includes('*') && MASKED} />
        <Rest />
      </Form>
    </Drawer>
  )
}

const MASKED = '已隐藏部分内容，不修改则保持原值'

/** Who may not assign roles does not send them either. */
const inputOf = (can: (access: string) => boolean) => (values: Record<string, unknown>) => {
  const keys = Object.keys(EDIT.shape).filter((key) => key !== 'roleIds' || can(staff.assignRole.access))
  return Object.fromEntries(keys.map((key) => [key, values[key]])) as never
}

function Roles() {
  return useCan()(staff.assignRole.access) ? <RoleField /> : null
}

function Rest() {
  return (
    <>
      <SelectField of={StaffInput} name="gender" />
      <DateTimeField of={StaffInput} name="expireTime" hint="到期后不能登录，不填则长期有效" />
      <NoteField of={StaffInput} name="remark" rows={3} />
    </>
  )
}
