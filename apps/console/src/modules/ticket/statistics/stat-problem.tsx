import { SERIES_COLORS } from '#kit/chart/palette.ts'
import { feedbackStat } from '@oms/contract/ticket/ticket-statistics.ts'
import {
  PROBLEM_DICT,
  PROBLEM_PART,
  PROBLEM_PARTS,
  PROBLEM_TYPE,
  type ProblemPart,
} from '@oms/contract/ticket/ticket-rows.ts'
import { formatPercent } from '#core/text/format.ts'
import { Chart } from '#kit/chart/chart.tsx'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { useDict } from '#kit/pickers/use-dict.ts'
import { ticketListPath, buildCreatedFilter, type StatRange } from './stat-range.ts'
import { PROBLEM_TYPE_DICT } from '../ticket.tsx'
import './statistics.css'
import type { ResultOf, Endpoint, InputOf } from '@oms/contract/core/endpoint.ts'
import { Tag, Button, Empty, Skeleton } from 'antd'
import { computeRowChartHeight } from '#kit/chart/chart-height.ts'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { type ReactNode, useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { ChartSkeleton } from '#kit/chart/chart-skeleton.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import '#kit/chart/stat-panel.css'

/** Height of the ring chart in pixels. */
const RING_HEIGHT = 180
const TYPE_COLOR: Readonly<Record<string, string>> = {
  1: '--ant-color-error',
  2: '--ant-color-warning',
  3: '--ant-color-primary',
}

/** Ring chart of the problem types, and a Pareto chart of the selected options of each checklist. */
export function ProblemCharts({ range }: { range: StatRange }) {
  const { label } = useDictLabels(PROBLEM_TYPE_DICT, PROBLEM_TYPE)
  return (
    <div className="stat-four">
      <StatBlock
        title="问题类型"
        of={feedbackStat.problem}
        range={range}
        chart={RING_HEIGHT}
        isEmpty={({ types }) => types.length === 0}
      >
        {({ types }) => (
          <Chart
            name="问题类型"
            height={RING_HEIGHT}
            data={{
              kind: 'ring',
              categoryTitle: '类型',
              categories: types.map(({ key }) => ({ label: label(key), color: TYPE_COLOR[key] ?? '#94a3b8' })),
              series: [
                {
                  name: '工单',
                  color: SERIES_COLORS.created,
                  values: types.map(({ count }) => count),
                  links: types.map(({ key }) =>
                    ticketListPath(range, { ...buildCreatedFilter(range), problemType: key }),
                  ),
                },
              ],
            }}
          />
        )}
      </StatBlock>
      {PROBLEM_PARTS.map((part) => (
        <Pareto key={part} part={part} range={range} />
      ))}
    </div>
  )
}

/** Pareto chart: bars in descending order with the cumulative share. */
function Pareto({ part, range }: { part: ProblemPart; range: StatRange }) {
  const dict = useDict(PROBLEM_DICT[part])
  return (
    <StatBlock
      title={PROBLEM_PART[part]}
      hint="累计占比"
      of={feedbackStat.problem}
      range={range}
      chart={RING_HEIGHT}
      isEmpty={(data) => data[part].length === 0}
    >
      {(data) => {
        const total = data[part].reduce((sum, { count }) => sum + count, 0)
        return (
          <ProblemBars
            name={PROBLEM_PART[part]}
            categoryTitle="选项"
            bars={data[part].map(({ key, count }, at) => ({
              label: dict.labelOf(key),
              value: count,
              note: formatPercent(data[part].slice(0, at + 1).reduce((sum, one) => sum + one.count, 0) / total),
              to: ticketListPath(range, { ...buildCreatedFilter(range), [part]: key }),
            }))}
          />
        )
      }}
    </StatBlock>
  )
}

interface Bar {
  readonly label: string
  readonly value: number
  readonly note: string
  readonly to: string
}

/** Horizontal bar chart. A click on a bar opens the counted tickets. */
export const ProblemBars = ({
  name,
  categoryTitle,
  bars,
}: {
  name: string
  categoryTitle: string
  bars: readonly Bar[]
}) => (
  <Chart
    name={name}
    data={{
      kind: 'row',
      categoryTitle,
      categories: bars.map(({ label, note }) => ({ label, note })),
      series: [
        {
          name: '工单',
          color: SERIES_COLORS.created,
          values: bars.map(({ value }) => value),
          links: bars.map(({ to }) => to),
        },
      ],
    }}
  />
)

type Models = ResultOf<typeof feedbackStat.model>
type Model = Models['models'][number]
type Version = Model['versions'][number]
const TOP = 10
/** Filter value for tickets without a firmware version. */
const NO_VERSION = 0

/** Bar chart of tickets by device model, in descending order. */
export function ModelBars({ range }: { range: StatRange }) {
  return (
    <StatBlock
      title="型号工单数"
      of={feedbackStat.model}
      range={range}
      chart={computeRowChartHeight(TOP)}
      isEmpty={({ models }) => models.length === 0}
    >
      {({ models }) => (
        <ProblemBars
          name="型号工单数"
          categoryTitle="型号"
          bars={models.slice(0, TOP).map(({ modelId, modelName, tickets, rate }) => ({
            label: modelName,
            value: tickets,
            note: rate === null ? '-' : `${rate}‰`,
            to: ticketListPath(range, { ...buildCreatedFilter(range), modelId }),
          }))}
        />
      )}
    </StatBlock>
  )
}

/** Defect rate of each firmware version and model in tickets per 1,000 active devices. */
export function FirmwareMatrix({ range }: { range: StatRange }) {
  return (
    <StatBlock
      title="型号 × 固件缺陷率"
      hint="工单数 ÷ 运行该版本的激活设备 × 1000；新版本在左，带标记的在统计期内发布"
      of={feedbackStat.model}
      range={range}
      table={({ models }) => ({
        head: ['型号', '固件', '发布时间', '工单', '激活设备', '每千台'],
        rows: models.flatMap(({ modelName, versions }) =>
          versions.map(({ verName, releaseTime, tickets, devices, rate }) => [
            modelName,
            verName,
            releaseTime ?? '-',
            tickets,
            devices,
            rate ?? '-',
          ]),
        ),
      })}
      isEmpty={({ models }) => models.length === 0}
    >
      {(data) => <Matrix data={data} range={range} />}
    </StatBlock>
  )
}

function Matrix({ data: { models, countTime }, range }: { data: Models; range: StatRange }) {
  const worst = Math.max(0.01, ...models.flatMap(({ versions }) => versions.map(({ rate }) => rate ?? 0)))
  return (
    <>
      <div className="kit-scroll">
        <table className="stat-matrix">
          <tbody>
            {models.map((model) => (
              <tr key={model.modelId}>
                <th scope="row">
                  <PermittedLink to={ticketListPath(range, { ...buildCreatedFilter(range), modelId: model.modelId })}>
                    {model.modelName}
                  </PermittedLink>
                  <small className="kit-muted">
                    {model.tickets} 个工单 · {model.devices} 台{model.rate !== null && ` · ${model.rate}‰`}
                  </small>
                </th>
                {model.versions.map((version) => (
                  <Cell key={version.verCode ?? 0} {...{ model, version, worst, range }} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="kit-muted">{countTime ? `设备数统计于 ${countTime}` : '设备数尚未统计，每小时更新一次'}</p>
    </>
  )
}

function Cell(props: { model: Model; version: Version; worst: number; range: StatRange }) {
  const { model, version, worst, range } = props
  const { verCode, verName, releaseTime, tickets, devices, rate } = version
  const isNew =
    releaseTime !== null && releaseTime.slice(0, 10) >= range.startDate && releaseTime.slice(0, 10) <= range.endDate
  const older = model.versions[model.versions.indexOf(version) + 1]?.rate
  const to = ticketListPath(range, {
    ...buildCreatedFilter(range),
    modelId: model.modelId,
    verCode: verCode ?? NO_VERSION,
  })
  const heat = Math.round(((rate ?? 0) / worst) * 60)
  return (
    <td>
      <PermittedLink
        to={to}
        className="stat-cell"
        style={{ background: `color-mix(in srgb, var(--ant-color-error) ${heat}%, transparent)` }}
        title={`${model.modelName} ${verName}\n${tickets} 个工单，${devices} 台激活设备${releaseTime ? `\n发布于 ${releaseTime}` : ''}`}
      >
        <span className="stat-cell-name">{verName}</span>
        <b>{rate === null ? '-' : `${rate}‰`}</b>
        <small>
          {tickets} / {devices}
          {isNew && <Tag color="processing">{releaseTime?.slice(5, 10)} 发布</Tag>}
          {rate !== null && older != null && older > 0 && (
            <span className={rate > older ? 'stat-up' : 'stat-down'}>{rate > older ? '↑' : '↓'}</span>
          )}
        </small>
      </PermittedLink>
    </td>
  )
}

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
      {empty && <Empty description="这段时间没有工单" />}
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
