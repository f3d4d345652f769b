import { licenseOptions } from '@oms/contract/license/license.ts'
import { AutoComplete } from 'antd'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { useVendorLabels } from './license-cells.tsx'

/** `stock`: only batches with certificates in stock. */
export function BatchPicker({ stock, ...props }: RecordSelectProps & { stock?: true }) {
  const vendors = useVendorLabels()
  const [keyword, onSearch] = useKeyword()
  const read = useRead(licenseOptions.batches, { keyword, ...(stock && { stock: 1 }) }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name, vendor, stock: left }) => ({
    value: id,
    label: `${name} · ${vendors.label(vendor)}${stock ? ` · 库存${left}` : ''}`,
  }))
  return <RecordSelect {...props} placeholder="输入批次号搜索" source={{ options, read, onSearch }} />
}

/** Returns the certificate types in use as options. */
export const useTypeOptions = () =>
  (useRead(licenseOptions.types, {}, { quiet: true }).data?.list ?? []).map((code) => ({ value: code, label: code }))

/** Selects an existing code or accepts a new one. */
export function TypeField({ value, onChange, id }: { value?: string; onChange?(next: string): void; id?: string }) {
  const options = useTypeOptions()
  return (
    <AutoComplete
      {...(id && { id })}
      {...(value !== undefined && { value })}
      allowClear
      placeholder="如 P2P、480P"
      options={options}
      showSearch={{ filterOption: (text, option) => String(option?.value ?? '').includes(text.toUpperCase()) }}
      onChange={(next: string) => onChange?.(next)}
    />
  )
}
