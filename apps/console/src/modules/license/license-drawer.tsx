import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { licenseCerts } from '@oms/contract/license/license.ts'
import { LICENSE_ACTIONS } from '@oms/contract/license/license-state.ts'
import { LicenseRow } from '@oms/contract/license/license-rows.ts'
import { Button, Empty, Tabs, Timeline } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { Time, time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { StateTag, UidText, useLicenseStateLabels, VendorName } from './license-cells.tsx'

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
  if (data.list.length === 0) return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="还没有记录" />
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
