import { Select, type SelectProps, Tag } from 'antd'
import './kit.css'
import { type Dict, useDict } from './use-dict.ts'

/** The colours of the specification's `listClass` as antd names them. */
const COLORS: Readonly<Record<string, string>> = {
  default: 'default',
  primary: 'processing',
  success: 'success',
  info: 'cyan',
  warning: 'warning',
  danger: 'error',
}

/** A value of a dictionary in its own colour and class; one the dictionary does not know is shown as it is. */
export function DictTag({ dict, value }: { dict: Dict; value: unknown }) {
  if (value === undefined || value === null || value === '') return <span className="kit-none">-</span>
  const entry = dict.entryOf(value)
  return (
    <Tag
      color={COLORS[entry?.listClass || 'default'] ?? 'default'}
      className={[`kit-tag-${entry?.listClass || 'default'}`, entry?.cssClass].filter(Boolean).join(' ')}
      title={dict.labelOf(value)}
    >
      {dict.labelOf(value)}
    </Tag>
  )
}

/** Chooses from a dictionary; as a control of Field or Filter. */
export function DictSelect({ type, ...select }: { type: string } & SelectProps) {
  const { options } = useDict(type)
  return (
    <Select
      allowClear
      placeholder="请选择"
      options={[...options]}
      showSearch={options.length > 8 && { optionFilterProp: 'label' }}
      {...select}
      // Rows hold codes as numbers, dictionaries as texts.
      value={select.value == null || Array.isArray(select.value) ? select.value : String(select.value)}
    />
  )
}
