import { licenseOptions } from '@oms/contract/license.ts'
import { LICENSE_VENDORS } from '@oms/contract/license-uid.ts'
import { AutoComplete } from 'antd'
import { useRead } from '#kernel/query.ts'
import { Select } from '#kit/select.tsx'
import { useKeyword } from '#kit/use-keyword.ts'

interface PickerProps {
  /** Given by the form; a filter in the address holds it as text. */
  value?: number | string
  onChange?: (id: number | undefined) => void
  id?: string
}
interface Choice {
  readonly value: number
  readonly label: string
}

/** Picks one of what the server offers as one types. */
function Picker(
  props: PickerProps & { choices: readonly Choice[]; onSearch(text: string): void; placeholder: string },
) {
  const { value, onChange, id, choices, onSearch, placeholder } = props
  const picked = value === undefined || value === '' ? undefined : Number(value)
  return (
    <Select
      {...(id && { id })}
      {...(picked !== undefined && { value: picked })}
      allowClear
      placeholder={placeholder}
      showSearch={{ filterOption: false, onSearch }}
      notFoundContent="没有找到"
      options={[...choices]}
      onChange={(next: number | undefined) => onChange?.(next)}
    />
  )
}

export function TenantPicker(props: PickerProps) {
  const [keyword, setText] = useKeyword()
  const { data } = useRead(licenseOptions.tenants, { keyword }, { quiet: true })
  const choices = (data?.list ?? []).map(({ id, name, tenantNo }) => ({ value: id, label: `${name}（${tenantNo}）` }))
  return <Picker {...props} choices={choices} onSearch={setText} placeholder="输入客户名称或编号搜索" />
}

export function ModelPicker(props: PickerProps) {
  const [keyword, setText] = useKeyword()
  const { data } = useRead(licenseOptions.models, { keyword }, { quiet: true })
  const choices = (data?.list ?? []).map(({ id, name, modelCode }) => ({ value: id, label: `${name}（${modelCode}）` }))
  return <Picker {...props} choices={choices} onSearch={setText} placeholder="输入型号名称或编码搜索" />
}

/** `stock`: only deliveries of which some are left. */
export function BatchPicker({ stock, ...props }: PickerProps & { stock?: true }) {
  const [keyword, setText] = useKeyword()
  const { data } = useRead(licenseOptions.batches, { keyword, ...(stock && { stock: 1 }) }, { quiet: true })
  const choices = (data?.list ?? []).map(({ id, name, vendor, stock: left }) => ({
    value: id,
    label: `${name} · ${LICENSE_VENDORS[vendor as keyof typeof LICENSE_VENDORS] ?? ''}${stock ? ` · 库存${left}` : ''}`,
  }))
  return <Picker {...props} choices={choices} onSearch={setText} placeholder="输入批次号搜索" />
}

/** A code in use, or a new one. */
export function TypeField({ value, onChange, id }: { value?: string; onChange?(next: string): void; id?: string }) {
  const { data } = useRead(licenseOptions.types, {}, { quiet: true })
  return (
    <AutoComplete
      {...(id && { id })}
      {...(value !== undefined && { value })}
      allowClear
      placeholder="如 P2P、480P"
      options={(data?.list ?? []).map((code) => ({ value: code }))}
      showSearch={{ filterOption: (text, option) => String(option?.value ?? '').includes(text.toUpperCase()) }}
      onChange={(next: string) => onChange?.(next)}
    />
  )
}

/** Does the account reach more customers than one? Otherwise there is nothing to choose. */
export function useManyTenants() {
  const { data } = useRead(licenseOptions.tenants, { keyword: '' }, { quiet: true })
  return (data?.list.length ?? 0) > 1
}
