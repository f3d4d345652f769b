import { deviceGroups } from '@oms/contract/device-group.ts'
import { useRead } from '#kernel/query.ts'
import { Select } from '#kit/select.tsx'
import { useKeyword } from '#kit/use-keyword.ts'

interface TenantSelectProps {
  /** Given by the filter; from an address it comes as text. */
  value?: number | string
  onChange?: (id: number | undefined) => void
  id?: string
}

/** Picks whose groups are shown; asks the server as one types. */
export function TenantSelect({ value, onChange, id }: TenantSelectProps) {
  const [keyword, setText] = useKeyword()
  const { data } = useRead(deviceGroups.tenants, { keyword }, { quiet: true })
  const chosen = value === undefined || value === '' ? undefined : Number(value)
  return (
    <Select
      {...(id && { id })}
      {...(chosen !== undefined && { value: chosen })}
      allowClear
      placeholder="当前客户"
      showSearch={{ filterOption: false, onSearch: setText }}
      notFoundContent="没有找到客户"
      options={(data?.list ?? []).map((tenant) => ({ value: tenant.id, label: tenant.name }))}
      onChange={(next: number | undefined) => onChange?.(next)}
    />
  )
}

/** Does the account reach more customers than one? Otherwise there is nothing to choose. */
export function useManyTenants() {
  const { data } = useRead(deviceGroups.tenants, { keyword: '' }, { quiet: true })
  return (data?.list.length ?? 0) > 1
}
