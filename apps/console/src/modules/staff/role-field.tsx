import { StaffInput } from '@oms/contract/staff.ts'
import { Select } from 'antd'
import { Field } from '#kit/field.tsx'
import { useRoleOptions } from './use-role-options.ts'

/** The roles of an account, as a field of a form. */
export function RoleField({ hint }: { hint?: string }) {
  const options = useRoleOptions()
  return (
    <Field of={StaffInput} name="roleIds" hint={hint}>
      <Select
        mode="multiple"
        allowClear
        placeholder="请选择角色"
        options={options}
        showSearch={{ optionFilterProp: 'label' }}
      />
    </Field>
  )
}
