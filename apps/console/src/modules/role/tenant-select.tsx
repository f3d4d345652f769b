import { role } from '@oms/contract/role/role.ts'
import { useRead } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { RecordsSelect, type RecordsSelectProps } from '#kit/pickers/records-select.tsx'

/** Selects one tenant. */
export function TenantSelect(props: RecordSelectProps) {
  const source = useTenantOptions(props.value === undefined || props.value === '' ? [] : [Number(props.value)])
  return <RecordSelect {...props} placeholder="请选择客户" source={source} />
}

/** Selects several tenants. */
export function TenantsSelect(props: RecordsSelectProps) {
  return <RecordsSelect {...props} placeholder="请选择客户" source={useTenantOptions(props.value ?? [])} />
}

/** Returns the tenants that match the typed text, and the selected tenants, so that names are shown instead of ids. */
function useTenantOptions(selected: readonly number[]) {
  const [name, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(role.tenants, { name }, { quiet: true })
  const known = useRead(role.tenants, { ids: [...selected] }, { enabled: selected.length > 0, quiet: true })
  const rows = new Map([...(known.data?.list ?? []), ...(data?.list ?? [])].map((each) => [each.id, each.name]))
  return { options: [...rows].map(([value, label]) => ({ value, label })), isFetching, error, refetch, onSearch }
}

/** Returns whether the account can access several tenants; otherwise no tenant select is shown. */
export function useHasManyTenants() {
  const can = useCan()
  const { data } = useRead(role.tenants, { name: '' }, { enabled: can(role.tenants.access), quiet: true })
  return (data?.list.length ?? 0) > 1
}
