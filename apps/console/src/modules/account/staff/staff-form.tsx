import { GENDER } from '@oms/contract/account/account-fields.ts'
import { StaffInput, staff } from '@oms/contract/account/staff.ts'
import { Drawer, Form } from 'antd'
import { useCan } from '#core/auth/session.tsx'
import { NoteField, SelectField, TextField } from '#kit/form/field.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { RoleField } from './role-field.tsx'
import { readStaff } from './read-staff.ts'
import type { Staff } from './use-staff-actions.tsx'

/** Form that adds an account. The response contains the one-time password. */
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
        <OtherFields />
      </Form>
    </Drawer>
  )
}

const EDIT = staff.update.input

/** Form that edits an account. Masked numbers stay unchanged unless the user types a new number. */
export function StaffEditForm({ row, onClose }: { row: Staff; onClose(): void }) {
  return (
    <FreshRecord
      of={row.uid}
      read={() => readStaff(row)}
      layer="drawer"
      title={`编辑用户 ${row.account}`}
      onClose={onClose}
    >
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, onClose }: { row: Staff; onClose(): void }) {
  const latest = () => readStaff(row)
  const options = { onClose, initial: row, input: inputOf(useCan()), latest }
  const { drawer, footer, form } = useFormDrawer(staff.update, options)
  return (
    <Drawer title={`编辑用户 ${row.account}`} {...drawer} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <TextField of={StaffInput} name="realname" />
        <TextField of={StaffInput} name="nickname" />
        <Roles />
        <TextField of={EDIT} name="mobileNo" hint={row.mobileNo?.includes('*') && MASKED} />
        <TextField of={EDIT} name="email" hint={row.email?.includes('*') && MASKED} />
        <OtherFields />
      </Form>
    </Drawer>
  )
}

const MASKED = '已隐藏部分内容，不修改则保持原值'

/** Leaves out the roles when the user may not assign roles. */
const inputOf = (can: (access: string) => boolean) => (values: Record<string, unknown>) => {
  const keys = Object.keys(EDIT.shape).filter((key) => key !== 'roleIds' || can(staff.assignRole.access))
  return Object.fromEntries(keys.map((key) => [key, values[key]])) as never
}

function Roles() {
  return useCan()(staff.assignRole.access) ? <RoleField /> : null
}

function OtherFields() {
  const genders = useDictLabels('sys_user_sex', GENDER).options
  return (
    <>
      <SelectField of={StaffInput} name="gender" options={genders} />
      <DateTimeField of={StaffInput} name="expireTime" hint="到期后不能登录，不填则长期有效" />
      <NoteField of={StaffInput} name="remark" rows={3} />
    </>
  )
}
