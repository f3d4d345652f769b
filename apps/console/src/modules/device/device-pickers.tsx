import { devices } from '@oms/contract/device/device-info.ts'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'

/** `kind` 1: only static groups. */
export function GroupPicker({ kind, ...props }: RecordSelectProps & { kind?: 1 }) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(devices.groupOptions, { keyword, ...(kind && { kind }) }, { quiet: true })
  const many = useHasManyTenants()
  const options = (read.data?.list ?? []).map((group) => ({
    value: group.id,
    label: [group.name, group.kind === 2 && '（动态）', many && ` · ${group.tenantName}`].filter(Boolean).join(''),
  }))
  return <RecordSelect {...props} placeholder="输入分组名称搜索" source={{ options, read, onSearch }} />
}
