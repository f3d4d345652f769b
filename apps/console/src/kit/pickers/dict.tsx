import { Tag } from 'antd'
import '#kit/kit.css'
import type { Dict } from './use-dict.ts'

/** Maps the specification's `listClass` to antd colours. */
const COLORS: Readonly<Record<string, string>> = {
  default: 'default',
  primary: 'processing',
  success: 'success',
  info: 'cyan',
  warning: 'warning',
  danger: 'error',
}

/** Renders a dictionary value with its colour and class; a value without an entry is shown unchanged. */
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
