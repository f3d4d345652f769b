import type { HomeBlock as Block, HomeBlockData } from '@oms/contract/home.ts'
import { formatBytes, formatCount } from '#kernel/format.ts'
import { useRead } from '#kernel/query.ts'
import { Link } from '#kernel/router.tsx'
import { calls } from './calls.ts'
import { HomeCard } from './home-card.tsx'
import { useFresh } from './use-fresh.ts'

const MINUTE_MS = 60_000

interface Props {
  readonly block: Block
  readonly title: string
  readonly resources: readonly string[]
}

/** One figure or one short list; a failure offers its own retry and leaves the others alone. */
export function HomeBlock({ block, title, resources }: Props) {
  const { data, isError, isPending, refetch } = useRead(calls.summary, { block }, { quiet: true, staleTime: MINUTE_MS })
  useFresh(resources, () => void refetch())
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

function Figures({ of: { value, unit, delta, detail, parts, items, trend } }: { of: HomeBlockData }) {
  return (
    <>
      <p className="home-value">
        {unit === 'bytes' ? formatBytes(value) : formatCount(value)}
        {delta !== undefined && delta !== 0 && (
          <span className="home-delta">今日 {delta > 0 ? `+${formatCount(delta)}` : formatCount(delta)}</span>
        )}
      </p>
      {parts && <Parts parts={parts} />}
      {detail && <p className="home-detail">{detail}</p>}
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

/** What a figure consists of: a bar in shares, and each share in words. */
function Parts({ parts }: { parts: NonNullable<HomeBlockData['parts']> }) {
  const total = parts.reduce((sum, { value }) => sum + value, 0)
  return (
    <div className="home-parts">
      <span className="home-bar" aria-hidden>
        {parts.map(({ title, value, tone }) => (
          <span key={title} className={`home-tone-${tone}`} style={{ flexGrow: total > 0 ? value / total : 0 }} />
        ))}
      </span>
      {parts.map(({ title, value, tone }) => (
        <span key={title} className="home-part">
          <i className={`home-tone-${tone}`} aria-hidden />
          {title} {formatCount(value)}
        </span>
      ))}
    </div>
  )
}

const WIDTH = 120
const HEIGHT = 32

/** A line of a few days; the figures themselves are in its label. */
function Spark({ points }: { points: NonNullable<HomeBlockData['trend']> }) {
  const top = Math.max(1, ...points.map(({ value }) => value))
  const at = points.map(({ value }, i) => {
    const x = (i / (points.length - 1)) * WIDTH
    return `${x.toFixed(1)},${(HEIGHT - 2 - (value / top) * (HEIGHT - 4)).toFixed(1)}`
  })
  const label = points.map(({ day, value }) => `${day} ${value}`).join('，')
  return (
    <svg
      className="home-spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <polyline
        points={at.join(' ')}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
