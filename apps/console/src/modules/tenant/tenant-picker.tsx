import { tenant } from '@oms/contract/tenant/tenant.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

/** Selects a tenant by name or number. */
export function TenantPicker(props: RecordSelectProps) {
  const [name, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(tenant.simple, { name }, { quiet: true })
  const options = (data?.list ?? []).map((row) => ({ value: row.id, label: row.name }))
  return <RecordSelect {...props} placeholder="请选择客户" source={{ options, isFetching, error, refetch, onSearch }} />
}
