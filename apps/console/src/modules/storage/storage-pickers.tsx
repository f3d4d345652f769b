import { storageHooks } from '@oms/contract/storage/hook.ts'
import { storageOptions } from '@oms/contract/storage/options.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Select } from 'antd'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

/** Selects a package by name or code. `onSale`: only packages that can be opened now. */
export function PackagePicker({ onSale, ...props }: RecordSelectProps & { onSale?: true }) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(storageOptions.packages, { keyword, ...(onSale && { onSale: 1 }) }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name, period, price }) => ({
    value: id,
    label: onSale ? `${name} · ${period} · ${price === 0 ? '免费' : formatCurrency(price)}` : name,
  }))
  return <RecordSelect placeholder="输入套餐名称或编码搜索" {...props} source={{ options, read, onSearch }} />
}

/** Selects the webhook of a shop by name. */
export function HookPicker(props: RecordSelectProps) {
  const [keyword, onSearch] = useKeyword()
  const query = { ...(keyword && { hookName: keyword }), pageNum: 1, pageSize: 50 }
  const read = useRead(storageHooks.list, query, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, hookName }) => ({ value: id, label: hookName }))
  return <RecordSelect placeholder="输入商城名称搜索" {...props} source={{ options, read, onSearch }} />
}

interface SerialsPickerProps {
  readonly id?: string
  readonly value?: readonly string[]
  readonly onChange?: (sns: string[]) => void
}

/**
 * Accepts serial numbers that are typed, chosen from a search, or pasted as a list. Enter takes the typed text,
 * because a scanner sends Enter while antd still highlights an option of the previous search. After an arrow key,
 * Enter takes the highlighted option.
 */
export function SerialsPicker({ id, value = [], onChange }: SerialsPickerProps) {
  const [keyword, onSearch] = useKeyword()
  const [typed, setTyped] = useState('')
  const isHighlightMoved = useRef(false)
  const { data, isFetching } = useRead(storageOptions.devices, { keyword }, { quiet: true })
  const type = (text: string) => {
    isHighlightMoved.current = false
    setTyped(text)
    onSearch(text)
  }
  const change = (next: readonly string[]) => {
    type('')
    onChange?.([...new Set(next.map((sn) => sn.trim()).filter(Boolean))])
  }
  const onInputKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') isHighlightMoved.current = true
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    if (isHighlightMoved.current || typed.trim() === '') return
    event.preventDefault()
    event.stopPropagation()
    change([...value, typed])
  }
  return (
    <Select
      {...(id && { id })}
      mode="tags"
      value={[...value]}
      maxTagCount={20}
      loading={isFetching}
      placeholder="请输入序列号"
      tokenSeparators={[',', '，', ';', '；', ' ', '\n', '\t']}
      showSearch={{ searchValue: typed, onSearch: type, filterOption: false }}
      options={(data?.list ?? []).map(({ name, modelName }) => ({ value: name, label: `${name} · ${modelName}` }))}
      optionLabelProp="value"
      onInputKeyDown={onInputKeyDown}
      onChange={change}
    />
  )
}
