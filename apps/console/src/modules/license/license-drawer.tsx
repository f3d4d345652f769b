import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { licenseCerts, LicenseBatchQuery } from '@oms/contract/license/license.ts'
import { LICENSE_ACTIONS } from '@oms/contract/license/license-state.ts'
import { LicenseRow, LicenseBatchRow } from '@oms/contract/license/license-rows.ts'
import { Button, Empty, Tabs, Timeline } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { Time, time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { StateTag, UidText, useLicenseStateLabels, VendorName, licenseListPath, useVendorLabels } from './license.tsx'
import { Link } from '#core/routing/router.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { useInnerList } from '#kit/list/use-list.ts'

const { item, wide } = createDescriptions(LicenseRow)
const ITEMS = [
  item('uid', (uid) => <UidText uid={uid} />),
  item('state', (state) => <StateTag state={state} />),
  item('vendor', (vendor) => <VendorName vendor={vendor} />),
  item('typeCode'),
  item('batchNo'),
  item('tenantName', (name, { state }) => name || (state === 0 ? '未分配' : '')),
  item('modelName', (name) => name || '不限'),
  item('sn', (sn, { deviceId }) =>
    deviceId === null ? (
      ''
    ) : (
      <PermittedLink to={`/device/apkManage/detail/${deviceId}`}>{sn || deviceId}</PermittedLink>
    ),
  ),
  item('lastOnlineTime', time),
  item('hasKey', (has) => (has ? '已加密保存' : '无')),
  item('importTime', time),
  item('allotTime', time),
  item('bindTime', time),
  item('activateTime', time),
  item('expireTime', (at) => (at ? time(at) : '长期有效')),
  item('operName'),
  wide('remark'),
]

/** Certificate drawer: details and history. */
export function LicenseDrawer(props: {
  rows: readonly LicenseRow[]
  row: LicenseRow | undefined
  onRow(row: LicenseRow | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ uid }) => uid}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: <Descriptions row={row} items={ITEMS} /> },
            { key: 'events', label: '生命周期', children: <Events key={row.id} id={row.id} /> },
          ]}
        />
      )}
    </DetailDrawer>
  )
}

const STEP = 20

function Events({ id }: { id: number }) {
  const { label } = useLicenseStateLabels()
  const [pageSize, setPageSize] = useState(STEP)
  const { data, error, refetch, isPlaceholderData } = useRead(
    licenseCerts.events,
    { id, pageNum: 1, pageSize },
    { quiet: true },
  )
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  if (data.list.length === 0) return <Empty description="还没有记录" />
  return (
    <>
      <Timeline
        items={data.list.map((event) => ({
          key: event.id,
          content: <EventContent event={event} label={label} />,
        }))}
      />
      {data.total > pageSize && pageSize < 200 && (
        <Button block loading={isPlaceholderData} onClick={() => setPageSize(Math.min(pageSize * 2, 200))}>
          更多记录
        </Button>
      )}
    </>
  )
}

interface EventContentProps {
  readonly event: ResultOf<typeof licenseCerts.events>['list'][number]
  readonly label: ReturnType<typeof useLicenseStateLabels>['label']
}

function EventContent({ event, label }: EventContentProps) {
  return (
    <>
      <div>
        <b>{LICENSE_ACTIONS[event.action] ?? event.action}</b>
        {event.fromState !== null && event.fromState !== event.toState && (
          <span>
            {' '}
            {label(event.fromState)} → {label(event.toState)}
          </span>
        )}
      </div>
      <div className="kit-muted">
        <Time at={event.createTime} />{' '}
        {[event.operName, event.tenantName, event.deviceSn && `设备 ${event.deviceSn}`, event.reason]
          .filter(Boolean)
          .join(' · ')}
      </div>
    </>
  )
}

/** Returns the columns. Links to the certificates have filters, so they show the first view of the page. */
function batchColumns() {
  const { col } = createColumns(LicenseBatchRow)
  const number = (n: number, row: LicenseBatchRow, state?: number) =>
    n === 0 ? 0 : <Link to={licenseListPath({ batchId: row.id, state })}>{n.toLocaleString()}</Link>
  const states = (['stock', 'allotted', 'bound', 'activated', 'suspended', 'expired', 'scrapped'] as const).map(
    (key, state) => col(key, (n, row) => number(n, row, state), { width: 90, align: 'right' }),
  )
  return [
    col(
      'batchNo',
      (no, row) => (
        <Link to={licenseListPath({ batchId: row.id })}>
          <Ellipsis text={no} />
        </Link>
      ),
      { width: 160 },
    ),
    col('vendor', (vendor) => <VendorName vendor={vendor} />, { width: 80 }),
    col('total', (n, row) => number(n, row), { width: 100, align: 'right', sort: true }),
    ...states,
    col('orderNo', { width: 130 }),
    col('createByName', { width: 110 }),
    col('createTime', time, { width: 170, sort: true }),
    col('fileName', { width: 160, hidden: true }),
    col('remark', { width: 160, hidden: true }),
  ]
}

/** Lists the delivery batches; each count links to its certificates. */
export function LicenseBatches() {
  const list = useInnerList(licenseCerts.batches)
  const of = LicenseBatchQuery
  const vendors = useVendorLabels().options
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={of} name="batchNo" />
        <SelectFilter of={of} name="vendor" options={vendors} />
        <Filter of={of} name="orderNo" />
      </SearchForm>
      <DataTable
        {...list.table}
        name="batches"
        rowKey="id"
        columns={batchColumns()}
        empty={{ text: '还没有批次', hint: '每次导入的证书记为一个批次。' }}
      />
    </>
  )
}
