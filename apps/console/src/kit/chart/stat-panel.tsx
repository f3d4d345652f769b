import type { Endpoint, ResultOf } from '@oms/contract/core/endpoint.ts'
import { Empty, Skeleton } from 'antd'
import type { ReactNode } from 'react'
import { useRead } from '#core/api/query.ts'
import { Drawing } from '#kit/drawing.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { ChartSkeleton } from './chart-skeleton.tsx'
import './stat-panel.css'

interface StatPanelProps<E extends Endpoint> {
  readonly title: string
  readonly hint?: string
  readonly to: E
  readonly input: object
  readonly extra?: ReactNode
  /** Height in pixels of the chart that the panel shows. Absent: the panel shows no chart. */
  readonly chart?: number
  /** Returns the text shown instead of the figures, or undefined when there are figures. */
  emptyText?(data: ResultOf<E>): string | undefined
  children(data: ResultOf<E>): ReactNode
}

/** Statistics panel with its own request, skeleton and retry button. */
export function StatPanel<E extends Endpoint>({ title, hint, to, input, extra, chart, ...props }: StatPanelProps<E>) {
  const { data, error, refetch } = useRead(to, input as never, { quiet: true })
  return (
    <section className="kit-card" aria-label={title}>
      <div className="stat-panel-head">
        <h2 className="kit-card-title">{title}</h2>
        {hint && <small>{hint}</small>}
        {extra}
      </div>
      {error ? (
        <LoadFailed refusal={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Figures data={data as ResultOf<E>} {...props} />
      ) : chart ? (
        <ChartSkeleton height={chart} />
      ) : (
        <Skeleton active title={false} />
      )}
    </section>
  )
}

function Figures<E extends Endpoint>(props: { data: ResultOf<E> } & Pick<StatPanelProps<E>, 'emptyText' | 'children'>) {
  const { data, emptyText, children } = props
  const empty = emptyText?.(data)
  return empty ? <Empty image={<Drawing of="chart" />} description={empty} /> : children(data)
}
