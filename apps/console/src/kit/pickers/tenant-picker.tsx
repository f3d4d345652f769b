import type { agentOrders } from '@oms/contract/agent/orders/order.ts'
import type { devices } from '@oms/contract/device/device-info.ts'
import type { licenseOptions } from '@oms/contract/license/license.ts'
import { recordOptions } from '@oms/contract/options/options.ts'
import type { storageOptions } from '@oms/contract/storage/options.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from './record-select.tsx'

/** Options calls for tenants; a screen uses the call that its permission allows. */
export type TenantOptions =
  | typeof agentOrders.tenants
  | typeof devices.tenantOptions
  | typeof licenseOptions.tenants
  | typeof recordOptions.tenants
  | typeof storageOptions.tenants

interface TenantPickerProps extends RecordSelectProps {
  /** Another options call with the permission of the screen. */
  readonly from?: TenantOptions
  /** Omits disabled and expired tenants, for forms. */
  readonly onlyEnabled?: true
}

/** Selects a tenant by name or number. */
export function TenantPicker({ from = recordOptions.tenants, onlyEnabled, ...props }: TenantPickerProps) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(
    from,
    { keyword, ...(onlyEnabled && { inUse: 1 }) },
    { quiet: true },
  )
  const options = (data?.list ?? []).map(({ id, name, tenantNo }) => ({ value: id, label: `${name}（${tenantNo}）` }))
  return (
    <RecordSelect
      placeholder="输入客户名称或编号搜索"
      {...props}
      source={{ options, isFetching, error, refetch, onSearch }}
    />
  )
}

/** Returns whether the account can access several tenants; otherwise no tenant select is shown. */
export function useHasManyTenants(from: TenantOptions = recordOptions.tenants) {
  const { data } = useRead(from, { keyword: '' }, { quiet: true })
  return (data?.list.length ?? 0) > 1
}
