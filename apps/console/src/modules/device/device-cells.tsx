import type { DeviceRow } from '@oms/contract/device-row.ts'
import { Tag } from 'antd'
import type { ReactNode } from 'react'
import './device.css'
import { Time } from '#kit/time.tsx'

/** Green while it polls. */
export const Dot = ({ online, children }: { online: number; children?: ReactNode }) => (
  <span className="device-online">
    <span className={online === 1 ? 'device-dot device-dot-on' : 'device-dot'} aria-hidden />
    {online === 1 ? '在线' : '离线'}
    {children}
  </span>
)

/** With the last time it was heard of. */
export const Online = ({ row: { online, lastOnlineTime } }: { row: Pick<DeviceRow, 'online' | 'lastOnlineTime'> }) => (
  <Dot online={online}>{lastOnlineTime && <Time at={lastOnlineTime} />}</Dot>
)

export function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return <span className="kit-none">-</span>
  return (
    <span className="device-tags">
      {tags.map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
    </span>
  )
}

/** The version's name with its number; the number alone where no version of ours has it. */
export const firmware = ({ verCode, verName }: Pick<DeviceRow, 'verCode' | 'verName'>) =>
  verCode === null ? '' : verName ? `${verName}（${verCode}）` : String(verCode)

export const nameOf = ({ sn, devName }: Pick<DeviceRow, 'sn' | 'devName'>) => (devName ? `${devName}（${sn}）` : sn)
