import type { CSSProperties, ReactNode } from 'react'
import { formatCount, formatPercent } from '#core/text/format.ts'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { toCssColor } from './palette.ts'
import './metric.css'

/** A figure with its label, its change and the list of the counted rows. */
export interface Metric {
  readonly title: string
  readonly value: string
  readonly note?: string | undefined
  /** Earlier value of the figure, and what the change means. */
  readonly change?: MetricChange | undefined
  /** One value per day, the last day last. */
  readonly trend?: readonly { readonly day: string; readonly value: number }[] | undefined
  /** Further figures; each opens the rows that it counts. */
  readonly more?: readonly { readonly label: string; readonly value: string; readonly to: string }[]
  /** List of the counted rows. Absent: the figure counts no rows. */
  readonly to?: string | undefined
  readonly tone?: 'warn' | 'bad' | undefined
  /** Colour of the figure in the charts of the page. */
  readonly color?: string | undefined
}

interface MetricChange {
  readonly now: number | null
  readonly before: number | null
  /** What the figure is compared with: `上期`. */
  readonly with: string
  /** Direction that is good news. Absent: neither. */
  readonly better?: 'up' | 'down'
}

/** Maximum number of tiles in a row. Further figures follow as a line of facts. */
const TILES = 4

/** Shows the first four figures as tiles and the others as one line of facts. */
export function MetricRow({ metrics }: { metrics: readonly Metric[] }) {
  const facts = metrics.slice(TILES)
  return (
    <div className="kit-metrics">
      <MetricGrid columns={Math.min(TILES, metrics.length)}>
        {metrics.slice(0, TILES).map((metric) => (
          <MetricTile key={metric.title} {...metric} />
        ))}
      </MetricGrid>
      {facts.length > 0 && (
        <dl className="kit-fact-line">
          {facts.map(({ title, value, note, to, tone, color }) => (
            <div key={title} data-tone={tone}>
              <dt>
                {color && <i className="kit-dot" style={{ background: toCssColor(color) }} />}
                {title}
              </dt>
              <dd>
                {to === undefined ? (
                  <b>{value}</b>
                ) : (
                  <PermittedLink to={to} aria-label={`${title} ${value}`}>
                    <b>{value}</b>
                  </PermittedLink>
                )}
                {note && <small>{note}</small>}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}

export const MetricGrid = ({ columns, children }: { columns: number; children: ReactNode }) => (
  <div className="kit-tiles" style={{ '--columns': columns } as CSSProperties}>
    {children}
  </div>
)

/** Reserves the height of a row of metrics until its figures arrive. */
export const MetricSkeleton = ({ hasFacts = false }: { hasFacts?: boolean }) => (
  <div className="kit-metrics" role="status" aria-label="加载中">
    <MetricGrid columns={TILES}>
      {Array.from({ length: TILES }, (_, at) => (
        <div key={at} className="kit-tile kit-tile-waiting" />
      ))}
    </MetricGrid>
    {hasFacts && <div className="kit-fact-line kit-tile-waiting" />}
  </div>
)

/** A figure as a tile. The whole tile opens the counted rows. */
export const MetricTile = ({ more, trend, tone, ...figure }: Metric) => (
  <div className="kit-tile" data-tone={tone}>
    <MetricFigure {...figure} />
    {more && more.length > 0 && (
      <small className="kit-tile-more">
        {more.map(({ label, value, to }) => (
          <PermittedLink key={label} to={to}>
            {label} {value}
          </PermittedLink>
        ))}
      </small>
    )}
    {trend && <Sparkline points={trend} />}
  </div>
)

function MetricFigure({ title, value, note, change, to, color }: Omit<Metric, 'more' | 'trend' | 'tone'>) {
  const content = (
    <>
      <span>
        {color && <i className="kit-dot" style={{ background: toCssColor(color) }} />}
        {title}
      </span>
      <b>{value}</b>
      {change && <Change {...change} />}
      {note && <small>{note}</small>}
    </>
  )
  return to === undefined ? (
    <div className="kit-tile-figure">{content}</div>
  ) : (
    <PermittedLink to={to} className="kit-tile-figure">
      {content}
    </PermittedLink>
  )
}

/** Shows the change in percent. An earlier value of 0 has no percentage. */
function Change({ now, before, better, ...compared }: MetricChange) {
  if (now === null || before === null || before === 0) return null
  const rate = (now - before) / before
  // One blank separates a number from the Chinese word before it.
  const earlier = compared.with.replace(/^(?=\d)/, ' ')
  if (rate === 0) return <small>与{earlier}持平</small>
  const tone = better === undefined ? undefined : rate > 0 === (better === 'up') ? 'good' : 'bad'
  const [arrow, word] = rate > 0 ? ['↑', '上升'] : ['↓', '下降']
  return (
    <small>
      <span className="kit-change" data-tone={tone}>
        <span aria-hidden>{arrow}</span>
        <span className="sr-only">{word}</span> {formatPercent(Math.abs(rate))}
      </span>{' '}
      较{earlier}
    </small>
  )
}

const WIDTH = 100
const HEIGHT = 30

/** Draws one value per day as a line without axes; nothing when all values are equal. Its accessible name contains the range of the values. */
function Sparkline({ points }: { points: NonNullable<Metric['trend']> }) {
  const values = points.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (values.length < 2 || high === low) return null
  const y = (value: number) => HEIGHT - 1 - ((value - low) / (high - low)) * (HEIGHT - 3)
  const line = values.map((value, at) => `${(at / (values.length - 1)) * WIDTH},${y(value).toFixed(1)}`).join(' ')
  const name = `近 ${values.length} 天：最低 ${formatCount(low)}，最高 ${formatCount(high)}`
  return (
    <svg
      className="kit-spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={name}
    >
      <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
      <polyline points={line} vectorEffect="non-scaling-stroke" />
    </svg>
  )
}
