import type { Endpoint, InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { Button, Empty, Skeleton } from 'antd'
import { type ReactNode, useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { ChartSkeleton } from '#kit/chart/chart-skeleton.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import type { StatRange } from './stat-range.ts'
import '#kit/chart/stat-panel.css'

interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly (string | number)[])[]
}

/** One chart of the statistics with its own request and retry button. The figures can also be shown as a table. */
export function StatBlock<E extends Endpoint>(props: {
  title: string
  hint?: string
  of: E
  range: StatRange
  /** Height in pixels of the chart that the block shows. Absent: the block shows no chart. */
  chart?: number
  table?: (data: ResultOf<E>) => Table
  isEmpty?: (data: ResultOf<E>) => boolean
  children: (data: ResultOf<E>) => ReactNode
}) {
  const { title, hint, of, range, chart, table, isEmpty, children } = props
  const [asTable, setAsTable] = useState(false)
  const { data, error, refetch } = useRead(of, range as unknown as InputOf<E>, { quiet: true })
  const empty = data !== undefined && isEmpty?.(data)
  return (
    <section className="kit-card" aria-label={title}>
      <header className="stat-panel-head">
        <h2 className="kit-card-title">{title}</h2>
        {hint && <small>{hint}</small>}
        {table && data && !empty && (
          <Button type="link" size="small" onClick={() => setAsTable(!asTable)}>
            {asTable ? '看图' : '看表格'}
          </Button>
        )}
      </header>
      {error && <LoadFailed refusal={error} onRetry={() => void refetch()} />}
      {!data && !error && (chart ? <ChartSkeleton height={chart} /> : <Skeleton active title={false} />)}
      {empty && <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="这段时间没有工单" />}
      {data && !empty && (asTable && table ? <Figures {...table(data)} /> : children(data))}
    </section>
  )
}

const Figures = ({ head, rows }: Table) => (
  <div className="kit-scroll" tabIndex={0} role="region" aria-label="数据表格">
    <table className="kit-table">
      <thead>
        <tr>
          {head.map((title) => (
            <th key={title}>{title}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.join('|')}>
            {row.map((cell, at) => (
              <td key={`${head[at]}`}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
