import { feedback } from '@oms/contract/ticket/ticket.ts'
import { DeviceContext } from '@oms/contract/ticket/ticket-rows.ts'
import { TASK_STATE } from '@oms/contract/upgrade/task-state.ts'
import { formatConnection } from '@oms/contract/device/device-fields.ts'
import { Badge, Tag } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { formatDayBeforeToday } from '#core/text/format.ts'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { Time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { formatTicketPath, StatusTag } from './ticket.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import type { Device } from './service-devices.page.tsx'
import '#kit/record/details.css'

type Context = z.output<typeof DeviceContext>
const SOURCE: Readonly<Record<number, string>> = { 1: '设备上报', 2: '升级任务', 3: '控制台' }

/**
 * Shows the device of a serial number: state, version history, upgrade tasks and other tickets. `besides` is the id of
 * the ticket on the page.
 */
export function DevicePanel({ sn, besides }: { sn: string; besides?: number }) {
  const { data, error, refetch } = useRead(feedback.device, { sn }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={5} />
  return (
    <div>
      {data.device ? <DeviceFacts device={data.device} /> : <p className="kit-muted">系统中没有该序列号的设备</p>}
      <Versions versions={data.versions} />
      <Upgrades upgrades={data.upgrades} />
      <Others tickets={data.tickets.filter(({ id }) => id !== besides)} />
    </div>
  )
}

interface DeviceFactsProps {
  readonly device: NonNullable<Context['device']>
  /** True to show the tenant and the model of the device. The page of a ticket shows both elsewhere. */
  readonly hasOwner?: boolean
}

export function DeviceFacts({ device, hasOwner = false }: DeviceFactsProps) {
  const ends = device.warrantyEnd
  const owner: [string, React.ReactNode][] = [
    ['所属客户', device.tenantName],
    ['设备型号', device.modelName],
  ]
  const facts: [string, React.ReactNode][] = [
    ...(hasOwner ? owner : []),
    ['状态', <Badge key="s" status={device.online ? 'success' : 'default'} text={formatConnection(device)} />],
    ['最近在线', device.lastOnlineTime && <Time key="t" at={device.lastOnlineTime} />],
    [
      '设备名称',
      <PermittedLink key="n" to={`/device/apkManage/detail/${device.id}`}>
        {device.devName || device.sn}
      </PermittedLink>,
    ],
    ['当前版本', runningVersion(device)],
    ['硬件 / App', [device.hwVer, device.appVer].filter(Boolean).join(' / ')],
    ['地区', device.region],
    ['激活时间', device.activateTime && <Time key="a" at={device.activateTime} />],
    ['保修到期', ends && <Warranty key="w" ends={ends} />],
  ]
  return (
    <dl className="kit-details">
      {facts.map(
        ([title, value]) =>
          value && (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

const runningVersion = ({ osVer, verCode }: { osVer: string; verCode: number | null }) =>
  verCode === null || osVer === String(verCode) ? osVer : `${osVer}（${verCode}）`

function Warranty({ ends }: { ends: string }) {
  const [today] = useState(() => formatDayBeforeToday())
  const over = ends < today
  return (
    <>
      {ends} {over ? <Tag color="error">已过保</Tag> : <Tag color="success">保修中</Tag>}
    </>
  )
}

function Versions({ versions }: Pick<Context, 'versions'>) {
  if (versions.length === 0) return null
  return (
    <section>
      <h3 className="kit-heading">版本历史</h3>
      <ul className="kit-lines">
        {versions.map(({ verCode, source, createTime }) => (
          <li key={`${verCode} ${createTime}`}>
            <b>{verCode}</b>
            <span>{SOURCE[source]}</span>
            <Time at={createTime} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Upgrades({ upgrades }: Pick<Context, 'upgrades'>) {
  if (upgrades.length === 0) return null
  return (
    <section>
      <h3 className="kit-heading">升级任务</h3>
      <ul className="kit-lines">
        {upgrades.map(({ taskId, verName, verCode, state, createTime }) => (
          <li key={taskId}>
            <b>{verName || verCode}</b>
            <span>{TASK_STATE[state as keyof typeof TASK_STATE] ?? state}</span>
            <Time at={createTime} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Others({ tickets }: Pick<Context, 'tickets'>) {
  if (tickets.length === 0) return null
  return (
    <section>
      <h3 className="kit-heading">该设备的其他工单</h3>
      <ul className="kit-items">
        {tickets.map(({ id, feedbackNo, status, content, createTime }) => (
          <li key={id}>
            <span className="kit-row">
              <Link to={formatTicketPath('/AfterService/Questions', id)}>{feedbackNo}</Link>
              <StatusTag value={status} />
              <span className="kit-end kit-muted">
                <Time at={createTime} />
              </span>
            </span>
            <span className="kit-ellipsis">{content}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Shows one device in a drawer, with its versions, upgrade tasks and tickets. */
export function DeviceDrawer(props: {
  rows: readonly Device[]
  row: Device | undefined
  onRow(row: Device | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ sn, devName }) => (devName ? `${sn}（${devName}）` : sn)}>
      {({ sn }) => <DevicePanel key={sn} sn={sn} />}
    </DetailDrawer>
  )
}
