import { Select, type SelectProps } from 'antd'
import { useDict } from './use-dict.ts'

/** Select with dictionary entries; a control for Field and Filter. */
export function DictSelect({ type, ...select }: { type: string } & SelectProps) {
  const { options } = useDict(type)
  return (
    <Select
      allowClear
      placeholder="请选择"
      options={[...options]}
      showSearch={options.length > 8 && { optionFilterProp: 'label' }}
      {...select}
      // Rows contain codes as numbers; dictionaries contain them as text.
      value={select.value == null || Array.isArray(select.value) ? select.value : String(select.value)}
    />
  )
}
