import { agentOrders } from '@oms/contract/agent/orders/order.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { RecordsSelect, type RecordsSelectProps } from '#kit/pickers/records-select.tsx'

interface OfTenant {
  /** Absent: the tenant of the session. */
  readonly tenantId: number | undefined
}
const inputOf = (keyword: string, tenantId: number | undefined) => ({
  keyword,
  ...(tenantId !== undefined && { tenantId }),
})

interface PackageProps extends RecordSelectProps, OfTenant {
  /** Receives the scope of the chosen package. */
  onScope(scope: number | undefined): void
}

/** Selects a package that is offered to the buyer. */
export function PackagePicker({ tenantId, onScope, onChange, ...props }: PackageProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(agentOrders.packages, inputOf(keyword, tenantId), { quiet: true })
  const list = read.data?.list ?? []
  const options = list.map(({ id, name, content, price }) => ({
    value: id,
    label: `${name} · ${content} · ${price === 0 ? '免费' : formatCurrency(price)}`,
  }))
  const change = (id: number | undefined) => {
    onScope(list.find((each) => each.id === id)?.scope)
    onChange?.(id)
  }
  return (
    <RecordSelect
      placeholder="输入套餐名称或编码搜索"
      {...props}
      onChange={change}
      source={{ options, read, onSearch }}
    />
  )
}

/** Selects bound devices of the buyer. */
export function OrderDevicesPicker({ tenantId, ...props }: RecordsSelectProps & OfTenant) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(agentOrders.devices, inputOf(keyword, tenantId), { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name, agentName }) => ({
    value: id,
    label: `${name} · ${agentName}`,
  }))
  return (
    <RecordsSelect
      placeholder="输入序列号、名称或 MAC 搜索"
      maxTagCount={20}
      {...props}
      source={{ options, read, onSearch }}
    />
  )
}

/** Selects agents of the buyer. */
export function OrderAgentsPicker({ tenantId, ...props }: RecordsSelectProps & OfTenant) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(agentOrders.agents, inputOf(keyword, tenantId), { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <RecordsSelect placeholder="输入名称搜索智能体" maxTagCount={20} {...props} source={{ options, read, onSearch }} />
  )
}

/** Selects a device group of the buyer. */
export function OrderGroupPicker({ tenantId, ...props }: RecordSelectProps & OfTenant) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(agentOrders.groups, inputOf(keyword, tenantId), { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return <RecordSelect placeholder="输入名称搜索设备分组" {...props} source={{ options, read, onSearch }} />
}
