import { tenant } from '@oms/contract/tenant/tenant.ts'
import { TenantDetail, type OverviewBlockKey } from '@oms/contract/tenant/tenant-info.ts'
import { CheckCircleFilled } from '@ant-design/icons'
import { Alert, Skeleton } from 'antd'
import type * as z from 'zod'
import { useRead } from '#core/api/query.ts'
import { useParams } from 'react-router'
import { useCan } from '#core/auth/session.tsx'
import { useTab, useTabTitle } from '#core/routing/tab.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { createDescriptions, GroupedDescriptions } from '#kit/record/descriptions.tsx'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { HeadActions, RecordHead } from '#kit/record/record-head.tsx'
import { listPath } from '#kit/record/record-links.tsx'
import { RecordPage } from '#kit/record/record-page.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { time, Time } from '#kit/record/time.tsx'
import { TenantExpiry, TenantLevel, TenantQuota, CompanySize, TenantStatus, useTenantActions } from './tenant.tsx'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { useKnownPages } from '#core/routing/known-pages.ts'
import { Link } from '#core/routing/router.tsx'
import { LoadFailed } from '#kit/table/table-state.tsx'
import { State } from '#kit/record/state.tsx'
import './tenant.css'

type Detail = z.output<typeof TenantDetail>

const { item } = createDescriptions(TenantDetail)
const GROUPS = [
  {
    title: '合作',
    items: [
      item('sceneNames', (names) => names.join('、')),
      item('accountUsed', (used, row) => <TenantQuota used={used} limit={row.accountCount} />),
      item('deviceUsed', (used, row) => <TenantQuota used={used} limit={row.deviceQuota} />),
      item('beginTime', time),
      item('adPlatformAudit'),
      item('createTime', time),
    ],
  },
  {
    title: '联系',
    items: [item('contactName'), item('contactPhone'), item('contactEmail'), item('areaCode'), item('address')],
  },
  {
    title: '企业',
    items: [
      item('tenantNo'),
      item('shortName'),
      item('industryName'),
      item('companySize', (size) => <CompanySize size={size} />),
      item('licenseNumber'),
      item('domain'),
      item('intro'),
      item('remark'),
    ],
  },
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
  const contact = [row.contactName, row.contactPhone].filter(Boolean).join(' ')
  return (
    <Page>
      <RecordHead
        name={row.name}
        icon={(row.shortName || row.name).slice(0, 1)}
        picture={row.logo}
        state={
          <>
            <TenantLevel level={row.level} />
            <TenantStatus row={row} />
          </>
        }
        facts={[
          ['到期', <TenantExpiry key="expiry" row={row} />],
          ['联系人', contact],
          ['加入码', row.allowApply === 1 ? <CopyText key="code" text={row.joinCode} /> : '不接受申请'],
        ]}
        actions={<HeadActions items={actionsOf(row)} />}
      />
      {row.daysLeft !== null && row.daysLeft <= 30 && (
        <Alert
          type={row.daysLeft <= 0 ? 'error' : 'warning'}
          showIcon
          title={
            row.daysLeft <= 0 ? `已于 ${row.expireTime} 到期` : `将于 ${row.expireTime} 到期，剩 ${row.daysLeft} 天`
          }
        />
      )}
      <Panel>
        <GroupedDescriptions row={row} groups={GROUPS} />
      </Panel>
      <FirstSteps tenantId={row.id} blocks={blocks.map(({ key }) => key)} />
      <div className="kit-halves">
        {[0, 1].map((column) => (
          <div key={column} className="kit-page">
            {blocks
              .filter((_, at) => at % 2 === column)
              .map(({ key, title }) => (
                <OverviewPanel key={key} tenantId={row.id} block={key} title={title} />
              ))}
          </div>
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

/** What to do next in a block without data. */
const NEXT: Readonly<Partial<Record<OverviewBlockKey, { text: string; act: string; path: string }>>> = {
  licenses: { text: '还没有授权', act: '申请授权', path: '/LicenseManage/ConsentManage' },
  storage: { text: '还没有开通云存储', act: '开通云存', path: '/ossManage/deviceList' },
  devices: { text: '还没有设备', act: '导入设备', path: '/device/apkManage' },
  staff: { text: '还没有账号', act: '新增账号', path: '/system/userList' },
}
const STEPS = ['licenses', 'storage', 'devices'] as const

const isBlank = ({ figures, bars, rows }: Data) =>
  figures.every(({ value }) => value === 0) && bars.length === 0 && rows.length === 0

const useBlock = (id: number, block: OverviewBlockKey, enabled = true) =>
  useRead(tenant.overviewBlock, { id, block }, { quiet: true, keepPrevious: false, enabled })

/** Next steps of a new tenant: grants, cloud storage, devices. Shown while none of them has data. */
function FirstSteps({ tenantId, blocks }: { tenantId: number; blocks: readonly OverviewBlockKey[] }) {
  const isKnown = useKnownPages()
  const reads = [
    useBlock(tenantId, STEPS[0], blocks.includes(STEPS[0])),
    useBlock(tenantId, STEPS[1], blocks.includes(STEPS[1])),
    useBlock(tenantId, STEPS[2], blocks.includes(STEPS[2])),
  ]
  const steps = STEPS.flatMap((key, at) => {
    const data = reads[at]?.data
    const step = NEXT[key]
    return data && step && isKnown(step.path) ? [{ ...step, key, isDone: !isBlank(data) }] : []
  })
  if (steps.length < STEPS.length || steps.every(({ isDone }) => isDone)) return null
  return (
    <Panel title="接下来">
      <ol className="kit-plain tenant-steps">
        {steps.map(({ key, act, path, isDone }, at) => (
          <li key={key} className="kit-row">
            {isDone ? <CheckCircleFilled className="kit-good" aria-label="已完成" /> : <b>{at + 1}</b>}
            <Link to={listPath(path, { tenantId })}>{act}</Link>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

/** One block of the tenant page. Each block has its own request and retry button. A block without data is one line. */
function OverviewPanel(props: { tenantId: number; block: OverviewBlockKey; title: string }) {
  const { tenantId, block, title } = props
  const { data, error, refetch } = useBlock(tenantId, block)
  return (
    <section className="kit-card" aria-label={title} aria-busy={!data && !error}>
      <header className="kit-row kit-apart">
        <h2 className="kit-card-title">{title}</h2>
        {data && <More url={data.url} title={title} />}
      </header>
      {error && <LoadFailed refusal={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton active title={false} />}
      {data && (isBlank(data) ? <Blank block={block} tenantId={tenantId} /> : <Filled data={data} />)}
    </section>
  )
}

function Blank({ block, tenantId }: { block: OverviewBlockKey; tenantId: number }) {
  const next = NEXT[block]
  return (
    <p className="kit-muted">
      {next?.text ?? '暂无数据'}
      {next && (
        <PermittedLink className="tenant-next" to={listPath(next.path, { tenantId })}>
          {next.act}
        </PermittedLink>
      )}
    </p>
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
          {rows.map(({ id, title, detail, time, state, tone, url }) => (
            <li key={id} className="kit-row">
              <span className="kit-main">
                <strong>{url ? <PermittedLink to={url}>{title}</PermittedLink> : title}</strong>
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
