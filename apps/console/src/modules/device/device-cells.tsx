import type { DeviceRow } from '@oms/contract/device/device-row.ts'
import { formatConnection } from '@oms/contract/device/device-fields.ts'
import { Tag } from 'antd'
import type { ReactNode } from 'react'
import './device.css'
import { Time } from '#kit/record/time.tsx'

type Connection = Pick<DeviceRow, 'online' | 'activateTime'>

/** Green while the device polls. */
export const OnlineDot = ({ row, children }: { row: Connection; children?: ReactNode }) => (
  <span className="kit-row device-online">
    <span className={row.online === 1 ? 'kit-dot kit-dot-good' : 'kit-dot'} aria-hidden />
    {formatConnection(row)}
    {children}
  </span>
)

/** Status with the time of the last contact. */
export const OnlineStatus = ({ row }: { row: Connection & Pick<DeviceRow, 'lastOnlineTime'> }) => (
  <OnlineDot row={row}>{row.lastOnlineTime && <Time at={row.lastOnlineTime} />}</OnlineDot>
)

export function DeviceTags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return <span className="kit-none">-</span>
  return (
    <span className="kit-tags">
      {tags.map((tag) => (
        <Tag key={tag}>{tag}</Tag>
      ))}
    </span>
  )
}

/** Version name with number; only the number when the version is unknown. */
export const formatFirmware = ({ verCode, verName }: Pick<DeviceRow, 'verCode' | 'verName'>) =>
  verCode === null ? '' : verName ? `${verName}（${verCode}）` : String(verCode)

export const formatDeviceName = ({ sn, devName }: Pick<DeviceRow, 'sn' | 'devName'>) =>
  devName ? `${devName}（${sn}）` : sn
