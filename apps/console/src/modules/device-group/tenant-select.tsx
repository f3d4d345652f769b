import { deviceGroups } from '@oms/contract/device-group/device-group.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

/** Selects the tenant whose groups are shown. */
export function TenantSelect(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(deviceGroups.tenants, { keyword }, { quiet: true })
  const options = (data?.list ?? []).map((tenant) => ({ value: tenant.id, label: tenant.name }))
  return <RecordSelect {...props} placeholder="当前客户" source={{ options, isFetching, error, refetch, onSearch }} />
}

/** Returns whether the account can access several tenants; otherwise no tenant select is shown. */
export function useHasManyTenants() {
  const { data } = useRead(deviceGroups.tenants, { keyword: '' }, { quiet: true })
  return (data?.list.length ?? 0) > 1
}
