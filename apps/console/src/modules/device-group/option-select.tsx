import { deviceGroups } from '@oms/contract/device-group.ts'
import { useRead } from '#kernel/query.ts'
import { Select } from '#kit/select.tsx'
import { useKeyword } from '#kit/use-keyword.ts'

interface OptionSelectProps {
  what: 'types' | 'models'
  placeholder: string
  value?: number | string
  onChange?: (id: number | undefined) => void
  id?: string
}

/** Picks one type or model to filter by; asks the server as one types. */
export function OptionSelect({ what, placeholder, value, onChange, id }: OptionSelectProps) {
  const [keyword, setText] = useKeyword()
  const { data } = useRead(deviceGroups.options, { keyword }, { quiet: true })
  return (
    <Select
      {...(id && { id })}
      {...(value !== undefined && value !== '' && { value: Number(value) })}
      allowClear
      placeholder={placeholder}
      showSearch={{ filterOption: false, onSearch: setText }}
      notFoundContent="没有找到"
      options={(data?.[what] ?? []).map((each) => ({ value: each.id, label: each.name }))}
      onChange={(next: number | undefined) => onChange?.(next)}
    />
  )
}
