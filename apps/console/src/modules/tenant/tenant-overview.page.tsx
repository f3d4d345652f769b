import { tenant } from '@oms/contract/tenant/tenant.ts'
import { TenantDetail, type OverviewBlockKey } from '@oms/contract/tenant/tenant-info.ts'
import { Alert, Space, Skeleton } from 'antd'
import type * as z from 'zod'
import { useRead } from '#core/api/query.ts'
import { useParams } from 'react-router'
import { useCan } from '#core/auth/session.tsx'
import { useTab, useTabTitle } from '#core/routing/tab.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { RecordPage } from '#kit/record/record-page.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { TagList } from '#kit/record/tag-list.tsx'
import { time, Time } from '#kit/record/time.tsx'
import { ImageList } from '#kit/upload/image-upload.tsx'
import { TenantExpiry, TenantLevel, TenantQuota, CompanySize, TenantStatus, useTenantActions } from './tenant.tsx'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { useKnownPages } from '#core/routing/known-pages.ts'
import { Link } from '#core/routing/router.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { State } from '#kit/record/state.tsx'
import './tenant.css'

type Detail = z.output<typeof TenantDetail>

const { item, wide } = createDescriptions(TenantDetail)
const ITEMS = [
  item('tenantNo'),
  item('shortName'),
  item('industryName'),
  item('companySize', (size) => <CompanySize size={size} />),
  item('contactName'),
  item('contactPhone'),
  item('contactEmail'),
  item('licenseNumber'),
  item('accountUsed', (used, row) => <TenantQuota used={used} limit={row.accountCount} />),
  item('deviceUsed', (used, row) => <TenantQuota used={used} limit={row.deviceQuota} />),
  item('beginTime', time),
  item('expireTime', (_, row) => <TenantExpiry row={row} />),
  item('joinCode', (code, { allowApply }) => (allowApply === 1 ? <CopyText text={code} /> : '不接受申请')),
  item('adPlatformAudit'),
  item('areaCode'),
  item('domain'),
  item('createTime', time),
  wide('sceneNames', (names) => (
    <TagList>
      {names.map((name) => (
        <State key={name}>{name}</State>
      ))}
    </TagList>
  )),
  wide('address'),
  wide('logo', (logo) => <ImageList value={logo} />),
  wide('intro'),
  wide('remark'),
]

/** Page with all data of one tenant. Each block loads separately and is shown only with its permission. */
export default function TenantOverviewPage() {
  const id = Number(useParams()['id'])
  const read = useRead(tenant.overview, { id }, { quiet: true, keepPrevious: false })
  useTabTitle(read.data && `客户 ${read.data.tenant.shortName || read.data.tenant.name}`)
  return (
    <RecordPage read={read} list="/tenantManage/tenant">
      {({ tenant: row, blocks }) => <Overview key={id} row={row} blocks={blocks} />}
    </RecordPage>
  )
}

type Blocks = z.output<(typeof tenant.overview)['result']>['blocks']

function Overview({ row, blocks }: { row: Detail; blocks: Blocks }) {
  const can = useCan()
  const tab = useTab()
  const { actionsOf, dialog } = useTenantActions(() => tab.close('/tenantManage/tenant'))
  const extra = (
    <Space wrap>
      <TenantLevel level={row.level} />
      <TenantStatus row={row} />
      <RowActions items={actionsOf(row)} shown={5} />
    </Space>
  )
  return (
    <Page title={row.name} extra={extra}>
      {row.daysLeft !== null && row.daysLeft <= 30 && (
        <Alert
          type={row.daysLeft <= 0 ? 'error' : 'warning'}
          showIcon
          title={
            row.daysLeft <= 0 ? `已于 ${row.expireTime} 到期` : `将于 ${row.expireTime} 到期，剩 ${row.daysLeft} 天`
          }
        />
      )}
      <Panel title="基本信息">
        <div className="kit-many">
          <Descriptions
            row={row}
            items={ITEMS.filter(({ key, wide }) => !wide || String(row[key as keyof Detail]) !== '')}
          />
        </div>
      </Panel>
      <div className="kit-halves">
        {blocks.map(({ key, title }) => (
          <OverviewPanel key={key} tenantId={row.id} block={key} title={title} />
        ))}
      </div>
      {can('tenantManage:tenant:list') && (
        <Panel title="变更记录">
          <RecordHistory bizType="tenant" bizId={row.id} />
        </Panel>
      )}
      {dialog}
    </Page>
  )
}

type Data = ResultOf<typeof tenant.overviewBlock>
const TONES = { good: 'success', busy: 'processing', warn: 'warning', bad: 'error', none: 'default' } as const

/** One block of the tenant page. Each block has its own request and retry button. */
function OverviewPanel(props: { tenantId: number; block: OverviewBlockKey; title: string }) {
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
              <State color={TONES[tone]}>{state}</State>
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
