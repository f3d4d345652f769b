import { adStats } from '@oms/contract/advertise/statistics.ts'
import { useRead } from '#core/api/query.ts'
import { renderNoOptions } from '#kit/form/no-options.tsx'
import { Select } from '#kit/form/select.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { keepStaleOptions } from '#kit/pickers/keep-stale-options.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'

interface StatPickerProps extends RecordSelectProps {
  readonly from: typeof adStats.ads | typeof adStats.programs | typeof adStats.groups
}

/** Select for an ad, a program or a device group as a filter of the statistics. Offers deleted ads and programs too. */
export function StatPicker({ from, ...props }: StatPickerProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(from, { keyword }, { quiet: true })
  const options = (read.data?.list ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return <RecordSelect placeholder="输入名称搜索" {...props} source={{ options, read, onSearch }} />
}

interface TextPickerProps {
  readonly from: typeof adStats.advertisers | typeof adStats.contracts
  /** Set by the form. */
  readonly id?: string
  readonly value?: string
  readonly onChange?: (text: string | undefined) => void
}

/** Select with the advertisers or the contract numbers of ads as options. */
export function TextPicker({ from, id, value, onChange }: TextPickerProps) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(from, { keyword }, { quiet: true })
  const found = (read.data?.list ?? []).map(({ name }) => ({ value: name, label: name }))
  const isMissing = value && keyword === '' && !found.some((option) => option.value === value)
  return (
    <Select
      {...(id && { id })}
      value={value || undefined}
      onChange={(next: string | undefined) => onChange?.(next)}
      allowClear
      placeholder="输入文字搜索"
      showSearch={{ filterOption: false, onSearch }}
      {...keepStaleOptions(read.isFetching)}
      onOpenChange={(isOpen) => !isOpen && onSearch('')}
      notFoundContent={renderNoOptions(read)}
      options={isMissing ? [{ value, label: value }, ...found] : found}
    />
  )
}
