import { tenant } from '@oms/contract/tenant/tenant.ts'
import { TenantDetail } from '@oms/contract/tenant/tenant-info.ts'
import { Alert, Space, Tag } from 'antd'
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
import { time } from '#kit/record/time.tsx'
import { ImageList } from '#kit/upload/image-upload.tsx'
import { OverviewPanel } from './overview-panel.tsx'
import { TenantExpiry, TenantLevel, TenantQuota, CompanySize, TenantStatus } from './tenant-status.tsx'
import { useTenantActions } from './use-tenant-actions.tsx'

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
        <Tag key={name}>{name}</Tag>
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
