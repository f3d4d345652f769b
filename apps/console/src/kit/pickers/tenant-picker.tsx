import { recordOptions } from '@oms/contract/device/options.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from './record-select.tsx'
import { RecordsSelect, type RecordsSelectProps } from './records-select.tsx'

interface OnlyEnabled {
  /** Omits disabled and expired tenants, for forms. */
  readonly onlyEnabled?: true
}

const PLACEHOLDER = '输入客户名称或编号搜索'

/** Selects a tenant by name or number. */
export const TenantPicker = ({ onlyEnabled, ...props }: RecordSelectProps & OnlyEnabled) => (
  <RecordSelect placeholder={PLACEHOLDER} {...props} source={useTenantOptions(onlyEnabled)} />
)

/** Selects several tenants by name or number. */
export const TenantsPicker = ({ onlyEnabled, ...props }: RecordsSelectProps & OnlyEnabled) => (
  <RecordsSelect placeholder={PLACEHOLDER} {...props} source={useTenantOptions(onlyEnabled)} />
)

function useTenantOptions(onlyEnabled: true | undefined) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(recordOptions.tenants, { keyword, ...(onlyEnabled && { onlyEnabled: 1 }) }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name, tenantNo }) => ({
    value: id,
    label: `${name}（${tenantNo}）`,
  }))
  return { options, read, onSearch }
}

/** Returns whether the account can access several tenants; otherwise no tenant select is shown. */
export function useHasManyTenants() {
  const { data } = useRead(recordOptions.tenants, { keyword: '' }, { quiet: true })
  return (data?.list.length ?? 0) > 1
}
