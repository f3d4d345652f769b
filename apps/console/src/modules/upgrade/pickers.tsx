import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { RecordsSelect, type RecordsSelectProps } from '#kit/pickers/records-select.tsx'
import { useReleaseCalls } from './release-calls.ts'

/** Selects the tenants of a release. */
export function TenantsPicker(props: RecordsSelectProps) {
  return <RecordsSelect {...props} create="tenant" placeholder="不选则不限客户" source={useTenantOptions()} />
}

/** Selects the device groups of a release. */
export function GroupsPicker({ otaId, ...props }: RecordsSelectProps & { otaId: number }) {
  const calls = useReleaseCalls()
  const [keyword, onSearch] = useKeyword()
  const { data = [], isFetching, error, refetch } = useRead(calls.release.groups, { otaId, keyword }, { quiet: true })
  const options = data.map(({ id, name, tenantName }) => ({
    value: id,
    label: tenantName ? `${name}（${tenantName}）` : name,
  }))
  return (
    <RecordsSelect
      {...props}
      create="deviceGroup"
      placeholder="不选则不限分组"
      source={{ options, isFetching, error, refetch, onSearch }}
    />
  )
}

/** Tenant filter of a list. */
export const TenantFilter = (props: RecordSelectProps) => (
  <RecordSelect {...props} placeholder="请选择所属客户" source={useTenantOptions()} />
)

function useTenantOptions() {
  const calls = useReleaseCalls()
  const [name, onSearch] = useKeyword()
  const { data = [], isFetching, error, refetch } = useRead(calls.choices.tenants, { name }, { quiet: true })
  return {
    options: data.map((tenant) => ({ value: tenant.id, label: tenant.name })),
    isFetching,
    error,
    refetch,
    onSearch,
  }
}
