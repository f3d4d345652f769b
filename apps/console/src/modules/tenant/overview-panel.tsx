import { tenant } from '@oms/contract/tenant/tenant.ts'
import type { OverviewBlockKey } from '@oms/contract/tenant/tenant-info.ts'
import { Skeleton, Tag } from 'antd'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { useKnownPages } from '#core/routing/known-pages.ts'
import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { Time } from '#kit/record/time.tsx'
import './tenant.css'

type Data = ResultOf<typeof tenant.overviewBlock>
const TONES = { good: 'success', warn: 'warning', bad: 'error', none: 'default' } as const

/** One block of the tenant page. Each block has its own request and retry button. */
export function OverviewPanel(props: { tenantId: number; block: OverviewBlockKey; title: string }) {
  const { tenantId, block, title } = props
  const { data, error, refetch } = useRead(
    tenant.overviewBlock,
    { id: tenantId, block },
    { quiet: true, keepPrevious: false },
  )
  return (
    <section className="kit-card" aria-label={title} aria-busy={!data && !error}>
      <header className="kit-row kit-apart">
        <h2 className="kit-card-title">{title}</h2>
        {data && <More url={data.url} title={title} />}
      </header>
      {error && <LoadFailed refusal={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton active title={false} />}
      {data && <Filled data={data} />}
    </section>
  )
}

function More({ url, title }: { url: string; title: string }) {
  const isKnown = useKnownPages()
  return url && isKnown(url) ? (
    <Link to={url} aria-label={`查看全部${title}`}>
      查看全部
    </Link>
  ) : null
}

function Filled({ data: { figures, bars, rows } }: { data: Data }) {
  const isKnown = useKnownPages()
  return (
    <>
      <dl className="kit-figures">
        {figures.map(({ label, value, tone, url }) => (
          <div key={label} data-tone={tone}>
            <dt>{label}</dt>
            <dd>{url && isKnown(url) ? <Link to={url}>{value.toLocaleString()}</Link> : value.toLocaleString()}</dd>
          </div>
        ))}
      </dl>
      {bars.length > 0 && <Bars bars={bars} />}
      {rows.length > 0 && (
        <ul className="kit-items">
          {rows.map(({ id, title, detail, time, state, tone }) => (
            <li key={id} className="kit-row">
              <span className="kit-main">
                <strong>{title}</strong>
                <small className="kit-ellipsis">{detail}</small>
              </span>
              <Tag color={TONES[tone]}>{state}</Tag>
              <Time at={time} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Bars({ bars }: Pick<Data, 'bars'>) {
  const most = Math.max(1, ...bars.map(({ value }) => value))
  return (
    <ul className="kit-bars" aria-label="按型号">
      {bars.map(({ label, value, part }) => (
        <li key={label}>
          <span className="kit-ellipsis" title={label}>
            {label}
          </span>
          <span className="kit-bar tenant-bar" aria-hidden="true">
            <i style={{ width: `${(value / most) * 100}%` }}>
              <b style={{ width: `${value ? (part / value) * 100 : 0}%` }} />
            </i>
          </span>
          <span className="kit-number">
            {value.toLocaleString()}
            <small> 在线 {part.toLocaleString()}</small>
          </span>
        </li>
      ))}
    </ul>
  )
}
