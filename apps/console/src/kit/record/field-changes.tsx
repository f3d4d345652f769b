import './record-history.css'

interface Change {
  readonly field: string
  readonly title: string
  readonly from?: unknown
  readonly to?: unknown
}

/** Shows the changed fields of an operation: the old value struck through, the new value beside it. */
export function FieldChanges({ diff }: { diff: readonly Change[] }) {
  if (diff.length === 0) return null
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
        {diff.map(({ field, title, from, to }) => (
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
const isEmpty = (value: unknown) => value === null || value === undefined || value === ''

const words = (value: unknown): string => {
  if (isEmpty(value)) return ''
  if (Array.isArray(value)) return value.map(words).join('；')
  if (typeof value === 'boolean') return value ? '是' : '否'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
