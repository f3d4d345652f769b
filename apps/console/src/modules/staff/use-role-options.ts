import { staff } from '@oms/contract/staff.ts'
import { useRead } from '#kernel/query.ts'

/** Roles of the tenant as options; those one does not hold all of, and those out of use, cannot be newly chosen. */
export function useRoleOptions() {
  const { data } = useRead(staff.roleOptions, {}, { quiet: true })
  return (data?.list ?? []).map(({ id, roleName, status, grantable }) => ({
    value: id,
    label: status === 1 ? roleName : `${roleName}（已停用）`,
    disabled: status !== 1 || !grantable,
    title: grantable ? roleName : `${roleName}：包含您没有的权限，不能分配`,
  }))
}
