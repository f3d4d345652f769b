import { tenant } from '@oms/contract/tenant.ts'
import type { OverviewBlockKey } from '@oms/contract/tenant-info.ts'
import { Skeleton, Tag } from 'antd'
import type { ResultOf } from '@oms/contract/kernel/endpoint.ts'
import { useKnownPages } from '#kernel/known-pages.ts'
import { useRead } from '#kernel/query.ts'
import { Link } from '#kernel/router.tsx'
import { LoadFailed } from '#kit/table-state.tsx'
import { Time } from '#kit/time.tsx'
import './tenant.css'

type Data = ResultOf<typeof tenant.overviewBlock>
const TONES = { good: 'success', warn: 'warning', bad: 'error', none: 'default' } as const

/** One block of a customer's page, loaded and retried by itself. */
export function OverviewPanel(props: { tenantId: number; block: OverviewBlockKey; title: string }) {
  const { tenantId, block, title } = props
  const { data, error, refetch } = useRead(
    tenant.overviewBlock,
    { id: tenantId, block },
    { quiet: true, keepPrevious: false },
  )
  return (
    <section className="kit-card tenant-block" aria-label={title} aria-busy={!data && !error}>
      <header>
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
  const most = Math.max(1, ...bars.map(({ value }) => value))
  return (
    <>
      <dl className="tenant-figures">
        {figures.map(({ label, value, tone }) => (
          <div key={label} data-tone={tone}>
            <dt>{label}</dt>
            <dd>{value.toLocaleString()}</dd>
          </div>
        ))}
      </dl>
      {bars.length > 0 && (
        <ul className="tenant-bars" aria-label="按型号">
          {bars.map(({ label, value, part }) => (
            <li key={label}>
              <span className="tenant-bar-name" title={label}>
                {label}
              </span>
              <span className="tenant-bar" aria-hidden="true">
                <i style={{ width: `${(value / most) * 100}%` }}>
                  <b style={{ width: `${value ? (part / value) * 100 : 0}%` }} />
                </i>
              </span>
              <span className="tenant-bar-count">
                {value.toLocaleString()}
                <small> 在线 {part.toLocaleString()}</small>
              </span>
            </li>
          ))}
        </ul>
      )}
      {rows.length > 0 && (
        <ul className="tenant-rows">
          {rows.map(({ id, title, detail, time, state, tone }) => (
            <li key={id}>
              <span className="tenant-row-main">
                <strong>{title}</strong>
                <small>{detail}</small>
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
