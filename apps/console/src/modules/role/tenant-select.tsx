import { role } from '@oms/contract/role.ts'
import { Select, Spin } from 'antd'
import { useRead } from '#kernel/query.ts'
import { useCan } from '#kernel/session.tsx'
import { useKeyword } from '#kit/use-keyword.ts'

interface Tenant {
  readonly id: number
  readonly name: string
}

interface TenantSelectProps {
  /** Given by Field or Filter; from an address it comes as text. */
  value?: number | string
  onChange?: (id: number | undefined) => void
  id?: string
}

/** Picks one customer; asks the server as one types. */
export function TenantSelect({ value, onChange, id }: TenantSelectProps) {
  const chosen = value === undefined || value === '' ? undefined : Number(value)
  const { options, searching, onSearch } = useTenants(chosen === undefined ? [] : [chosen])
  return (
    <Select
      {...(id && { id })}
      {...(chosen !== undefined && { value: chosen })}
      allowClear
      placeholder="请选择客户"
      showSearch={{ filterOption: false, onSearch }}
      notFoundContent={searching ? <Spin size="small" /> : '没有找到客户'}
      options={options}
      onChange={(next: number | undefined) => onChange?.(next)}
    />
  )
}

interface TenantsSelectProps {
  value?: number[]
  onChange?: (ids: number[]) => void
  id?: string
  disabled?: boolean
}

/** Picks several customers. */
export function TenantsSelect({ value = [], onChange, id, disabled = false }: TenantsSelectProps) {
  const { options, searching, onSearch } = useTenants(value)
  return (
    <Select
      {...(id && { id })}
      mode="multiple"
      value={value}
      disabled={disabled}
      allowClear
      placeholder="请选择客户"
      showSearch={{ filterOption: false, onSearch }}
      notFoundContent={searching ? <Spin size="small" /> : '没有找到客户'}
      options={options}
      onChange={(next: number[]) => onChange?.(next)}
    />
  )
}

/** Customers whose name contains what is typed, and those already chosen, so that names show instead of numbers. */
function useTenants(chosen: readonly number[]) {
  const [name, setText] = useKeyword()
  const found = useRead(role.tenants, { name })
  const known = useRead(role.tenants, { ids: [...chosen] }, { enabled: chosen.length > 0 })
  const all = new Map<number, Tenant>()
  for (const tenant of [...(known.data?.list ?? []), ...(found.data?.list ?? [])]) all.set(tenant.id, tenant)
  return {
    options: [...all.values()].map((tenant) => ({ value: tenant.id, label: tenant.name })),
    searching: found.isFetching,
    onSearch: setText,
  }
}

/** Does the account reach more customers than one? Otherwise there is nothing to choose. */
export function useManyTenants() {
  const can = useCan()
  const { data } = useRead(role.tenants, { name: '' }, { enabled: can(role.tenants.access), quiet: true })
  return (data?.list.length ?? 0) > 1
}
