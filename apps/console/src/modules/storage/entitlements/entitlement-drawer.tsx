import { EntitlementRow, LEDGER_KIND, storageEntitlements } from '@oms/contract/storage/entitlement.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { Tabs } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { Time, time } from '#kit/record/time.tsx'
import { DeviceLink, TenantLink } from '#kit/record/record-links.tsx'
import DeviceStorage from './device-storage.tsx'
import { formatPeriod, StateTag } from './entitlement.tsx'
import { RecordTypeTag } from '../package-cells.tsx'

const { item, wide } = createDescriptions(EntitlementRow)
const ITEMS = [
  item('entNo'),
  item('state', (state) => <StateTag state={state} />),
  item('sn', (sn, { deviceId }) => <DeviceLink id={deviceId} name={sn} />),
  item('channel', String),
  item('tenantName', (name, { tenantId }) => <TenantLink id={tenantId} name={name} />),
  item('modelName'),
  item('packageName'),
  item('packageCode'),
  item('recordType', (type) => <RecordTypeTag type={type} />),
  item('storageDays', (days) => `${days} 天`),
  item('period'),
  item('source'),
  item('startTime', time),
  item('endTime', time),
  item('usedSeconds', formatPeriod),
  item('leftSeconds', (left) => (left === null ? '' : formatPeriod(left))),
  item('amount'),
  item('createName'),
  item('createTime', time),
  wide('reason'),
]

/** Entitlement drawer: facts, queue of the device, ledger and history. */
export function EntitlementDrawer(props: {
  rows: readonly EntitlementRow[]
  row: EntitlementRow | undefined
  onRow(row: EntitlementRow | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ sn, packageName }) => `${sn} · ${packageName}`}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: <Descriptions row={row} items={ITEMS} /> },
            { key: 'device', label: '设备云存', children: <DeviceStorage key={row.sn} sn={row.sn} /> },
            { key: 'ledger', label: '流水', children: <Ledger key={row.id} id={row.id} /> },
            {
              key: 'history',
              label: '操作记录',
              children: <RecordHistory key={row.id} bizType="entitlement" bizId={row.id} />,
            },
          ]}
        />
      )}
    </DetailDrawer>
  )
}

function Ledger({ id }: { id: number }) {
  const { data, error, refetch } = useRead(storageEntitlements.get, { id }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  return (
    <div className="kit-scroll">
      <table className="kit-table" aria-label="流水">
        <thead>
          <tr>
            <th>时间</th>
            <th>类型</th>
            <th className="kit-number">时长</th>
            <th className="kit-number">剩余</th>
            <th className="kit-number">金额</th>
            <th>操作人</th>
            <th>原因</th>
          </tr>
        </thead>
        <tbody>
          {data.ledger.map((line) => (
            <tr key={line.id}>
              <td>
                <Time at={line.atTime} />
              </td>
              <td>{LEDGER_KIND[line.kind as 1]}</td>
              <td className="kit-number">
                {line.seconds > 0 ? '+' : ''}
                {formatPeriod(line.seconds)}
              </td>
              <td className="kit-number">{formatPeriod(line.balance)}</td>
              <td className="kit-number">{line.amount === 0 ? '-' : formatCurrency(line.amount)}</td>
              <td>{line.operName || '-'}</td>
              <td>{line.reason || '-'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
