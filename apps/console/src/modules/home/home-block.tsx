import type { HomeBlock as Block, HomeBlockData } from '@oms/contract/home.ts'
import { Button } from 'antd'
import { formatBytes, formatCount } from '#kernel/format.ts'
import { useRead } from '#kernel/query.ts'
import { Link } from '#kernel/router.tsx'
import { calls } from './calls.ts'

interface Props {
  readonly block: Block
  readonly title: string
}

/** One figure or one short list; a failure offers its own retry and leaves the others alone. */
export function HomeBlock({ block, title }: Props) {
  const { data, isError, isPending, refetch } = useRead(calls.summary, { block }, { quiet: true })
  const figures = data?.blocks[0]
  return (
    <section
      className={figures?.items ? 'home-card home-card-list' : 'home-card'}
      aria-label={title}
      aria-busy={isPending}
    >
      <h2>{figures?.url ? <Link to={figures.url}>{title}</Link> : title}</h2>
      {isError && (
        <p className="home-failed">
          加载失败
          <Button type="link" size="small" onClick={() => void refetch()}>
            重试
          </Button>
        </p>
      )}
      {isPending && <div className="loading-line" />}
      {figures && <Figures {...figures} />}
    </section>
  )
}

function Figures({ value, unit, delta, detail, items, trend }: HomeBlockData) {
  return (
    <>
      <p className="home-value">
        {unit === 'bytes' ? formatBytes(value) : formatCount(value)}
        {delta !== undefined && <span className="home-delta">较昨日 {delta > 0 ? `+${delta}` : delta}</span>}
      </p>
      {detail && <p className="home-detail">{detail}</p>}
      {trend && trend.length > 1 && <Spark points={trend} />}
      {items && (
        <ul>
          {items.map((item) => (
            <li key={item.id}>
              <span className="home-item">{item.title}</span>
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
