import { StaffInput } from '@oms/contract/account/staff.ts'
import { Form } from 'antd'
import { Field } from '#kit/form/field.tsx'
import { CreatingSelect } from '#kit/pickers/creating-select.tsx'
import { useRoleOptions } from './use-role-options.ts'

/** Warning that an account without a role sees no page after login. */
const MissingRoleWarning = () => (
  <span style={{ color: 'var(--ant-color-warning)' }} role="status">
    未分配角色：该用户登录后看不到任何功能
  </span>
)

/** Form field for the roles of an account. */
export function RoleField({ hint }: { hint?: string }) {
  const options = useRoleOptions()
  const chosen = Form.useWatch('roleIds') as readonly number[] | undefined
  const isNone = !chosen?.length
  return (
    <Field of={StaffInput} name="roleIds" hint={isNone ? <MissingRoleWarning /> : hint}>
      <CreatingSelect
        create="role"
        mode="multiple"
        allowClear
        placeholder="请选择角色"
        options={options}
        showSearch={{ optionFilterProp: 'label' }}
      />
    </Field>
  )
}
