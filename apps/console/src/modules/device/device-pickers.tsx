import { devices } from '@oms/contract/device/device-info.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { DeviceModelPicker as AnyModelPicker } from '#kit/pickers/model-picker.tsx'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { TenantPicker as AnyTenantPicker, useHasManyTenants as useMany } from '#kit/pickers/tenant-picker.tsx'

/** `onlyEnabled`: omits disabled models, for forms. */
export const DeviceModelPicker = (props: RecordSelectProps & { onlyEnabled?: true }) => (
  <AnyModelPicker {...props} from={devices.modelOptions} />
)

/** `onlyEnabled`: omits disabled and expired tenants, for forms. */
export const TenantPicker = (props: RecordSelectProps & { onlyEnabled?: true }) => (
  <AnyTenantPicker {...props} from={devices.tenantOptions} />
)

/** Returns whether the account can access several tenants; otherwise no tenant select is shown. */
export const useHasManyTenants = () => useMany(devices.tenantOptions)

export function TypePicker(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(devices.typeOptions, { keyword }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <RecordSelect {...props} placeholder="请选择设备类型" source={{ options, isFetching, error, refetch, onSearch }} />
  )
}

/** `kind` 1: only static groups. */
export function GroupPicker({ kind, ...props }: RecordSelectProps & { kind?: 1 }) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching, error, refetch } = useRead(
    devices.groupOptions,
    { keyword, ...(kind && { kind }) },
    { quiet: true },
  )
  const many = useHasManyTenants()
  const options = (data?.list ?? []).map((group) => ({
    value: group.id,
    label: [group.name, group.kind === 2 && '（动态）', many && ` · ${group.tenantName}`].filter(Boolean).join(''),
  }))
  return (
    <RecordSelect
      {...props}
      placeholder="输入分组名称搜索"
      source={{ options, isFetching, error, refetch, onSearch }}
    />
  )
}
