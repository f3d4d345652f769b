import { formatDateTime } from '#core/text/format.ts'
import './record-history.css'

interface Change {
  readonly field: string
  readonly title: string
  readonly from?: unknown
  readonly to?: unknown
}

/** Shows the changed fields of an operation: the old value struck through, the new value beside it. */
export function FieldChanges({ diff }: { diff: readonly Change[] }) {
  const changed = diff.filter(({ from, to }) => !(isEmpty(from) && isEmpty(to)))
  if (changed.length === 0) return null
  return (
    <table className="kit-changes">
      <thead>
        <tr>
          <th scope="col">字段</th>
          <th scope="col">修改前</th>
          <th scope="col">修改后</th>
        </tr>
      </thead>
      <tbody>
        {changed.map(({ field, title, from, to }) => (
          <tr key={field}>
            <th scope="row">{title || field}</th>
            <td>{isEmpty(from) ? <Nothing /> : <del>{words(from)}</del>}</td>
            <td>{isEmpty(to) ? <Nothing /> : <ins>{words(to)}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const Nothing = () => <span className="kit-none">（空）</span>
const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
/** A time with its zone, such as `2026-10-19T07:24:45.013Z`. */
const ZONED_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/

const words = (value: unknown): string => {
  if (isEmpty(value)) return ''
  if (Array.isArray(value)) return value.map(words).join('；')
  if (typeof value === 'boolean') return value ? '是' : '否'
  if (typeof value === 'object') return JSON.stringify(value)
  const text = String(value)
  return ZONED_TIME.test(text) ? formatDateTime(text) : text
}
