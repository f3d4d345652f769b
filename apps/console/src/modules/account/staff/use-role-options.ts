import { staff } from '@oms/contract/account/staff.ts'
import { useRead } from '#core/api/query.ts'

/**
 * Returns the roles of the tenant as options. Disabled roles, and roles with permissions that the user lacks, cannot be
 * selected.
 */
export function useRoleOptions() {
  const { data } = useRead(staff.roleOptions, {}, { quiet: true })
  return (data?.list ?? []).map(({ id, roleName, status, grantable }) => ({
    value: id,
    label: status !== 1 ? `${roleName}（已停用）` : grantable ? roleName : `${roleName}（含您没有的权限，不能分配）`,
    disabled: status !== 1 || !grantable,
  }))
}
