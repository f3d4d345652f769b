import type { HomeBlock as Block, HomeBlockData } from '@oms/contract/home/home.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { formatBytes, formatCount } from '#core/text/format.ts'
import { MetricTile } from '#kit/chart/metric.tsx'
import { homeCalls } from './home.ts'
import { HomeCard, HomeEmpty, HomeRows, LoadRetry, useReloadOnChange } from './home-card.tsx'

/** Number of figures that are tiles. The home page shows further figures as a list. */
export const HOME_TILES = 4

const MINUTE_MS = 60_000

interface BlockProps {
  readonly block: Block
  readonly title: string
  readonly resources: readonly string[]
}

/** Reads one block. Each block has its own request and retry button. */
function useBlock({ block, resources }: BlockProps) {
  const { data, isError, isPending, refetch } = useRead(
    homeCalls.summary,
    { block },
    { quiet: true, staleTime: MINUTE_MS },
  )
  useReloadOnChange(resources, () => void refetch())
  return { figures: data?.blocks[0], isError, isPending, retry: () => void refetch() }
}

const FORMATS = { bytes: formatBytes, fen: formatCurrency } as const
const formatValue = (value: number, unit?: keyof typeof FORMATS) => (unit ? FORMATS[unit] : formatCount)(value)

/** Further figures of a block with the lists that they count. */
const listMore = ({ parts = [], figures = [] }: HomeBlockData) => [
  ...parts.map(({ title, value, url }) => ({ label: title, value: formatCount(value), to: url })),
  ...figures.map(({ title, value, unit, isEstimate, url }) => ({
    label: title,
    value: `${isEstimate ? '约 ' : ''}${formatValue(value, unit)}`,
    to: url,
  })),
]

const formatNote = ({ delta, detail }: HomeBlockData) =>
  [delta ? `今日 ${delta > 0 ? '+' : ''}${formatCount(delta)}` : '', detail ?? ''].filter(Boolean).join('，')

/** A figure of the home page as a tile. */
export function HomeTile(props: BlockProps) {
  const { title } = props
  const { figures, isError, retry } = useBlock(props)
  if (!figures)
    return (
      <section className="kit-tile home-tile" aria-label={title} aria-busy={!isError}>
        <span>{title}</span>
        {isError && <LoadRetry onRetry={retry} />}
      </section>
    )
  const { value, unit, url, before, beforeTitle = '', better, trend } = figures
  return (
    <section className="home-tile" aria-label={title}>
      <MetricTile
        title={title}
        value={formatValue(value, unit)}
        change={before === undefined ? undefined : { now: value, before, with: beforeTitle, ...(better && { better }) }}
        note={formatNote(figures)}
        to={url || undefined}
        more={listMore(figures)}
        trend={trend}
      />
    </section>
  )
}

/** A figure of the home page as a row. */
export function HomeFact(props: BlockProps) {
  const { title } = props
  const { figures, isError, retry } = useBlock(props)
  return (
    <section className="home-fact" aria-label={title} aria-busy={!figures && !isError}>
      {figures?.url ? <Link to={figures.url}>{title}</Link> : <span>{title}</span>}
      <span className="home-detail">
        {figures &&
          listMore(figures).map(({ label, value, to }) => (
            <Link key={label} to={to}>
              {label} {value}
            </Link>
          ))}
        {figures && formatNote(figures)}
      </span>
      {figures && <b>{formatValue(figures.value, figures.unit)}</b>}
      {isError && <LoadRetry onRetry={retry} />}
    </section>
  )
}

/** A list block of the home page: the newest notices or operations. */
export function HomeList(props: BlockProps) {
  const { title } = props
  const { figures, isError, isPending, retry } = useBlock(props)
  const { items = [], value = 0, detail = '', url } = figures ?? {}
  return (
    <HomeCard
      title={title}
      heading={url ? <Link to={url}>{title}</Link> : title}
      extra={
        value > 0 && (
          <span className="home-detail">
            {formatCount(value)} {detail}
          </span>
        )
      }
      pending={isPending}
      waiting={<HomeRows />}
      failed={isError}
      onRetry={retry}
    >
      {figures && items.length === 0 && <HomeEmpty text={`没有${title}`} />}
      <ul>
        {items.map((item) => (
          <li key={item.id}>
            <span className="home-item" title={item.title}>
              {item.state === 'bad' && <b className="home-bad">失败</b>} {item.title}
            </span>
            <span className="home-detail">
              {item.detail && `${item.detail} · `}
              {item.time.slice(5, 16)}
            </span>
          </li>
        ))}
      </ul>
    </HomeCard>
  )
}
