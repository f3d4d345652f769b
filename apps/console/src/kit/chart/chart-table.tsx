import { Link } from '#core/routing/router.tsx'
import { type ChartData, findCategoryLink, findCategoryTitle } from './chart-data.ts'

interface Props {
  readonly name: string
  readonly data: ChartData
  readonly onOpen: ((link: string) => void) | undefined
}

/** Renders the values of a chart as a table; each value links to its list. */
export function ChartTable({ name, data: { categoryTitle, categories, series }, onOpen }: Props) {
  const hasNotes = categories.some(({ note }) => note !== undefined)
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- focusable for scrolling by keyboard
    <div className="chart-table" tabIndex={0} role="region" aria-label={`${name}数据`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{categoryTitle}</th>
            {series.map((one) => (
              <th key={one.name} scope="col" className="chart-number">
                {one.name}
              </th>
            ))}
            {hasNotes && <th aria-label="说明" />}
          </tr>
        </thead>
        <tbody>
          {categories.map((category, at) => (
            <tr key={findCategoryTitle(category)}>
              <th scope="row">{findCategoryTitle(category)}</th>
              {series.map((one) => (
                <td key={one.name} className="chart-number">
                  <Value value={one.values[at] ?? null} to={findCategoryLink(one, at)} onOpen={onOpen} />
                </td>
              ))}
              {hasNotes && <td className="chart-number">{category.note}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface ValueProps extends Pick<Props, 'onOpen'> {
  readonly value: number | null
  readonly to: string | undefined
}

function Value({ value, to, onOpen }: ValueProps) {
  if (value === null) return '-'
  if (to && onOpen)
    return (
      <button type="button" className="chart-link" onClick={() => onOpen(to)}>
        {value.toLocaleString()}
      </button>
    )
  return to ? <Link to={to}>{value.toLocaleString()}</Link> : value.toLocaleString()
}
