import { licenseCerts } from '@oms/contract/license.ts'
import { LICENSE_ACTIONS } from '@oms/contract/license-state.ts'
import { LicenseRow } from '@oms/contract/license-rows.ts'
import { Button, Empty, Tabs, Timeline } from 'antd'
import { useState } from 'react'
import { useRead } from '#kernel/query.ts'
import { Link } from '#kernel/router.tsx'
import { DetailDrawer } from '#kit/detail-drawer.tsx'
import { Details, detailsOf } from '#kit/details.tsx'
import { Time, time } from '#kit/time.tsx'
import { Waiting } from '#kit/waiting.tsx'
import { nameOfState, StateTag, Uid } from './license-cells.tsx'

const { item, wide } = detailsOf(LicenseRow)
const ITEMS = [
  item('uid', (uid) => <Uid uid={uid} />),
  item('state', (state) => <StateTag state={state} />),
  item('vendor'),
  item('typeCode'),
  item('batchNo'),
  item('tenantName', (name, { state }) => name || (state === 0 ? '库存' : '')),
  item('modelName', (name) => name || '不限'),
  item('sn', (sn, { deviceId }) =>
    deviceId === null ? '' : <Link to={`/device/apkManage/detail/${deviceId}`}>{sn || deviceId}</Link>,
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

/** One certificate beside the list, with everything that happened to it. */
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
            { key: 'details', label: '基本信息', children: <Details row={row} items={ITEMS} /> },
            { key: 'events', label: '生命周期', children: <Events key={row.id} id={row.id} /> },
          ]}
        />
      )}
    </DetailDrawer>
  )
}

const STEP = 20

function Events({ id }: { id: number }) {
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
          content: (
            <>
              <div>
                <b>{LICENSE_ACTIONS[event.action] ?? event.action}</b>
                {event.fromState !== null && event.fromState !== event.toState && (
                  <span>
                    {' '}
                    {nameOfState(event.fromState)} → {nameOfState(event.toState)}
                  </span>
                )}
              </div>
              <div className="license-hint" style={{ margin: 0 }}>
                <Time at={event.createTime} />{' '}
                {[event.operName, event.tenantName, event.deviceSn && `设备 ${event.deviceSn}`, event.reason]
                  .filter(Boolean)
                  .join(' · ')}
              </div>
            </>
          ),
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
