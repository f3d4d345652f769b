import { devices } from '@oms/contract/device/device-info.ts'
import type { DeviceRow } from '@oms/contract/device/device-row.ts'
import { useWrite } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import { NO_STATUS_PERMISSION, StatusSwitch } from '#kit/list/status-switch.tsx'
import { formatDeviceName } from './device-cells.tsx'

export function DeviceStatus({ row }: { row: DeviceRow }) {
  const setStatus = useWrite(devices.setStatus)
  const can = useCan()
  return (
    <StatusSwitch
      on={row.status === 1}
      name={formatDeviceName(row)}
      reason={can(devices.setStatus.access) ? undefined : NO_STATUS_PERMISSION}
      warning="停用后设备连接时将被拒绝，不能检查升级，也不会收到指令。"
      onChange={(on) => setStatus.mutateAsync({ ids: [row.id], status: on ? 1 : 0 })}
    />
  )
}
