import { feedbackStat } from '@oms/contract/feedback-stat.ts'
import type { ResultOf } from '@oms/contract/kernel/endpoint.ts'
import { Skeleton } from 'antd'
import { useNavigate } from 'react-router'
import { useRead } from '#kernel/query.ts'
import { Link } from '#kernel/router.tsx'
import { LoadFailed } from '#kit/table-state.tsx'
import { StatBlock } from './stat-block.tsx'
import { closedIn, drill, madeIn, minutesInWords, type StatRange } from './stat-range.ts'

type Summary = ResultOf<typeof feedbackStat.summary>
type Trend = ResultOf<typeof feedbackStat.trend>
interface Ranged {
  readonly range: StatRange
}

/** The cards; each leads to the tickets it counts. */
export function Figures({ range }: Ranged) {
  const { data, error, refetch } = useRead(feedbackStat.summary, range, { quiet: true })
  if (!data && error) return <LoadFailed refusal={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton active title={false} className="kit-card" />
  return (
    <div className="stat-cards">
      {cardsOf(data, range).map(({ title, value, to, change, tone }) => (
        <Link key={title} to={to} className={`kit-card stat-card${tone ? ` stat-${tone}` : ''}`}>
          <span>{title}</span>
          <b>{value}</b>
          <small>{change ?? ' '}</small>
        </Link>
      ))}
    </div>
  )
}

/** `+12%` against as many days before. */
function against(now: number | null, before: number | null) {
  if (now === null || before === null || before === 0) return undefined
  const percent = Math.round(((now - before) / before) * 100)
  return `较上期 ${percent > 0 ? '+' : ''}${percent}%`
}

const cardsOf = (data: Summary, range: StatRange) => [
  {
    title: '新建',
    value: data.created,
    to: drill(range, madeIn(range)),
    change: against(data.created, data.before.created),
  },
  {
    title: '关闭',
    value: data.closed,
    to: drill(range, closedIn(range)),
    change: against(data.closed, data.before.closed),
  },
  { title: '当前未关闭', value: data.backlog, to: drill(range, { open: 1 }) },
  {
    title: '当前未分派',
    value: data.unassigned,
    to: drill(range, { open: 1, unassigned: 1 }),
    tone: data.unassigned ? 'warn' : '',
  },
  {
    title: '当前已超时',
    value: data.breached,
    to: drill(range, { open: 1, slaState: 3 }),
    tone: data.breached ? 'bad' : '',
  },
  {
    title: '平均首次响应',
    value: minutesInWords(data.respondMinutes),
    to: drill(range, { ...madeIn(range), responded: 1 }),
    change: against(data.respondMinutes, data.before.respondMinutes),
  },
  {
    title: '平均解决',
    value: minutesInWords(data.solveMinutes),
    to: drill(range, closedIn(range)),
    change: against(data.solveMinutes, data.before.solveMinutes),
  },
  {
    title: '重开率',
    value: data.reopenRate === null ? '-' : `${data.reopenRate}%`,
    to: drill(range, { ...madeIn(range), reopened: 1 }),
    change: `${data.reopened} 个重开`,
  },
  {
    title: '时限达成率',
    value: data.hitRate === null ? '-' : `${data.hitRate}%`,
    to: drill(range, { ...madeIn(range), breached: 1 }),
    change: '查看超时工单',
  },
  {
    title: '满意度',
    value: data.satisfaction ?? '-',
    to: drill(range, { ...madeIn(range), rated: 1 }),
    change: `${data.rated} 个评价`,
  },
]

const WIDTH = 1000
const HEIGHT = 240
const LEFT = 44
const BOTTOM = 24
const SERIES = [
  ['created', '新建'],
  ['closed', '关闭'],
  ['backlog', '未关闭'],
] as const

/** Created, closed and backlog by day, with the firmware released meanwhile. */
export function TrendChart({ range }: Ranged) {
  return (
    <StatBlock
      title="每日趋势"
      hint="竖线为固件发布"
      of={feedbackStat.trend}
      range={range}
      table={({ days }) => ({
        head: ['日期', '新建', '关闭', '未关闭'],
        rows: days.map(({ day, created, closed, backlog }) => [day, created, closed, backlog]),
      })}
      isEmpty={({ days }) => days.every(({ created, closed, backlog }) => created + closed + backlog === 0)}
    >
      {(data) => <Lines data={data} range={range} />}
    </StatBlock>
  )
}

/** A round number not below the value: 1, 2, 5 times a power of ten. */
function niceMax(value: number) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value
}

function Lines({ data: { days, releases }, range }: { data: Trend; range: StatRange }) {
  const navigate = useNavigate()
  const max = niceMax(Math.max(1, ...days.flatMap(({ created, closed, backlog }) => [created, closed, backlog])))
  const step = (WIDTH - LEFT) / Math.max(1, days.length)
  const x = (at: number) => LEFT + step * (at + 0.5)
  const y = (value: number) => (HEIGHT - BOTTOM) * (1 - value / max) + 6
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => Math.round(max * part))
  const every = Math.max(1, Math.ceil(days.length / 8))
  return (
    <>
      <ul className="stat-legend">
        {SERIES.map(([key, label]) => (
          <li key={key} className={`stat-${key}`}>
            {label}
          </li>
        ))}
      </ul>
      <div className="stat-scroll" tabIndex={0} role="region" aria-label="每日趋势图">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT + 8}`}
          className="stat-lines"
          role="img"
          aria-label="每日新建、关闭和未关闭的工单"
        >
          {[...new Set(ticks)].map((tick) => (
            <g key={tick}>
              <line x1={LEFT} x2={WIDTH} y1={y(tick)} y2={y(tick)} className="stat-grid" />
              <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
                {tick}
              </text>
            </g>
          ))}
          {releases.map(({ day, modelName, verName }) => {
            const at = days.findIndex((one) => one.day === day)
            if (at < 0) return null
            return (
              <line
                key={`${day} ${modelName} ${verName}`}
                x1={x(at)}
                x2={x(at)}
                y1={0}
                y2={HEIGHT - BOTTOM + 6}
                className="stat-release"
              >
                <title>{`${day} 发布 ${modelName} ${verName}`}</title>
              </line>
            )
          })}
          {SERIES.map(([key]) => (
            <polyline
              key={key}
              className={`stat-line stat-${key}`}
              points={days.map((one, at) => `${x(at)},${y(one[key])}`).join(' ')}
            />
          ))}
          {days.map(({ day, created, closed, backlog }, at) => (
            <g key={day}>
              {at % every === 0 && (
                <text x={x(at)} y={HEIGHT + 2} textAnchor="middle">
                  {day.slice(5)}
                </text>
              )}
              <rect
                x={x(at) - step / 2}
                y={0}
                width={step}
                height={HEIGHT}
                className="stat-hit"
                onClick={() => void navigate(drill(range, { beginTime: day, endTime: day, merged: 0 }))}
              >
                <title>{`${day}\n新建 ${created}，关闭 ${closed}，未关闭 ${backlog}\n点击查看当日新建的工单`}</title>
              </rect>
            </g>
          ))}
        </svg>
      </div>
    </>
  )
}
