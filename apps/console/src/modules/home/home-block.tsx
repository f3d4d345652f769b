import type { HomeBlock as Block, HomeBlockData } from '@oms/contract/home/home.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { formatBytes, formatCount } from '#core/text/format.ts'
import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { BareChart } from '#kit/chart/bare-chart.tsx'
import { homeCalls } from './calls.ts'
import { HomeCard } from './home-card.tsx'
import { useReloadOnChange } from './use-fresh.ts'

const MINUTE_MS = 60_000

interface Props {
  readonly block: Block
  readonly title: string
  readonly resources: readonly string[]
}

/** Renders one block of the home page, a number or a short list, with its own retry button. */
export function HomeBlock({ block, title, resources }: Props) {
  const { data, isError, isPending, refetch } = useRead(
    homeCalls.summary,
    { block },
    { quiet: true, staleTime: MINUTE_MS },
  )
  useReloadOnChange(resources, () => void refetch())
  const figures = data?.blocks[0]
  return (
    <HomeCard
      title={title}
      heading={figures?.url ? <Link to={figures.url}>{title}</Link> : title}
      wide={figures?.items !== undefined}
      pending={isPending}
      failed={isError}
      onRetry={() => void refetch()}
    >
      {figures && <Figures of={figures} />}
    </HomeCard>
  )
}

const FORMATS = { bytes: formatBytes, fen: formatCurrency } as const
const formatValue = (value: number, unit?: keyof typeof FORMATS) => (unit ? FORMATS[unit] : formatCount)(value)

function Figures({ of: { value, unit, delta, detail, parts, figures, items, trend } }: { of: HomeBlockData }) {
  return (
    <>
      <p className="home-value">
        {formatValue(value, unit)}
        {delta !== undefined && delta !== 0 && (
          <span className="home-delta">今日 {delta > 0 ? `+${formatCount(delta)}` : formatCount(delta)}</span>
        )}
      </p>
      {parts && <Parts parts={parts} />}
      {detail && <p className="home-detail">{detail}</p>}
      {figures && <LinkedFigures figures={figures} />}
      {trend && trend.length > 1 && <Spark points={trend} />}
      {items && (
        <ul>
          {items.map((item) => (
            <li key={item.id}>
              <span className="home-item" title={item.title}>
                {item.title}
              </span>
              <span className="home-detail">
                {item.state && <b className={`home-${item.state}`}>{item.state === 'ok' ? '成功' : '失败'}</b>}{' '}
                {item.detail}
                {item.detail && ' · '}
                {item.time}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Renders the breakdown of a figure as a bar and as text. */
function Parts({ parts }: { parts: NonNullable<HomeBlockData['parts']> }) {
  const total = parts.reduce((sum, { value }) => sum + value, 0)
  return (
    <div className="home-parts">
      <span className="home-bar" aria-hidden>
        {parts.map(({ title, value, tone }) => (
          <span key={title} className={`home-tone-${tone}`} style={{ flexGrow: total > 0 ? value / total : 0 }} />
        ))}
      </span>
      {parts.map(({ title, value, tone, url }) => (
        <span key={title} className="home-part">
          <i className={`home-tone-${tone}`} aria-hidden />
          <Link to={url}>
            {title} {formatCount(value)}
          </Link>
        </span>
      ))}
    </div>
  )
}

/** Renders further figures as links. */
const LinkedFigures = ({ figures }: { figures: NonNullable<HomeBlockData['figures']> }) => (
  <div className="home-parts">
    {figures.map(({ title, value, unit, isEstimate, url }) => (
      <span key={title} className="home-part">
        <Link to={url}>
          {title} {isEstimate && '约 '}
          {formatValue(value, unit)}
        </Link>
      </span>
    ))}
  </div>
)

/** Renders a sparkline; its accessible label contains the values. */
const Spark = ({ points }: { points: NonNullable<HomeBlockData['trend']> }) => (
  <div className="home-spark">
    <BareChart
      name="近几日"
      data={{
        kind: 'spark',
        categoryTitle: '日期',
        categories: points.map(({ day }) => ({ label: day })),
        series: [{ name: '数量', color: '--ant-color-primary', values: points.map(({ value }) => value) }],
      }}
    />
  </div>
)
