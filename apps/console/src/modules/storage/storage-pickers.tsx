import { storageOptions } from '@oms/contract/storage/options.ts'
import { Select } from 'antd'
import type { KeyboardEvent } from 'react'
import { useRead } from '#core/api/query.ts'
import { formatMoney } from '#core/text/format.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { RecordsSelect, type RecordsSelectProps } from '#kit/pickers/records-select.tsx'
import { TenantPicker as AnyTenantPicker, useHasManyTenants as useMany } from '#kit/pickers/tenant-picker.tsx'

/** Selects several models; no selection means all models. */
export function ModelsPicker(props: RecordsSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching } = useRead(storageOptions.models, { keyword }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, name, modelCode }) => ({ value: id, label: `${name}（${modelCode}）` }))
  return <RecordsSelect placeholder="不选表示全部型号" {...props} source={{ options, isFetching, onSearch }} />
}

/** Selects several tenants; no selection means all tenants. */
export function TenantsPicker(props: RecordsSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching } = useRead(storageOptions.tenants, { keyword, inUse: 1 }, { quiet: true })
  const options = (data?.list ?? []).map(({ id, name, tenantNo }) => ({ value: id, label: `${name}（${tenantNo}）` }))
  return <RecordsSelect placeholder="不选表示全部客户" {...props} source={{ options, isFetching, onSearch }} />
}

/** Selects a tenant by name or number. */
export const TenantPicker = (props: RecordSelectProps & { inUse?: true }) => (
  <AnyTenantPicker {...props} from={storageOptions.tenants} />
)

/** Returns whether the account can access several tenants; otherwise no tenant select is shown. */
export const useHasManyTenants = () => useMany(storageOptions.tenants)

/** Selects a package by name or code. `onSale`: only packages that can be opened now. */
export function PackagePicker({ onSale, ...props }: RecordSelectProps & { onSale?: true }) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching } = useRead(
    storageOptions.packages,
    { keyword, ...(onSale && { onSale: 1 }) },
    { quiet: true },
  )
  const options = (data?.list ?? []).map(({ id, name, period, price }) => ({
    value: id,
    label: onSale ? `${name} · ${period} · ${price === 0 ? '免费' : `¥${formatMoney(price)}`}` : name,
  }))
  return <RecordSelect placeholder="输入套餐名称或编码搜索" {...props} source={{ options, isFetching, onSearch }} />
}

interface SerialsPickerProps {
  readonly id?: string
  readonly value?: readonly string[]
  readonly onChange?: (sns: string[]) => void
}

/** Takes serial numbers: typed, chosen from a search, or pasted as a list. */
export function SerialsPicker({ id, value = [], onChange }: SerialsPickerProps) {
  const [keyword, onSearch] = useKeyword()
  const { data, isFetching } = useRead(storageOptions.devices, { keyword }, { quiet: true })
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the select inside takes the keys
    <div onKeyDownCapture={leaveByTab}>
      <Select
        {...(id && { id })}
        mode="tags"
        value={[...value]}
        maxTagCount={20}
        loading={isFetching}
        placeholder="请输入序列号"
        tokenSeparators={[',', '，', ';', '；', ' ', '\n', '\t']}
        showSearch={{ onSearch, filterOption: false }}
        options={(data?.list ?? []).map(({ name, modelName }) => ({ value: name, label: `${name} · ${modelName}` }))}
        optionLabelProp="value"
        onChange={(next: string[]) => onChange?.([...new Set(next.map((sn) => sn.trim()).filter(Boolean))])}
      />
    </div>
  )
}

/** Keeps Tab from antd's select, which toggles the highlighted option: a serial just entered would be removed. */
function leaveByTab(event: KeyboardEvent) {
  if (event.key === 'Tab') event.stopPropagation()
}
