import type { DeviceRow } from '@oms/contract/device/device-row.ts'
import { formatConnection } from '@oms/contract/device/device-fields.ts'
import { Tag } from 'antd'
import { type ReactNode, useState } from 'react'
import './device.css'
import { State } from '#kit/record/state.tsx'
import { Time } from '#kit/record/time.tsx'
import { devices } from '@oms/contract/device/device-info.ts'
import { useWrite, useRead } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import { NO_STATUS_PERMISSION, StatusSwitch } from '#kit/list/status-switch.tsx'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { RecordSelect, type RecordSelectProps } from '#kit/pickers/record-select.tsx'
import { useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import type { RowAction } from '#kit/list/row-actions.tsx'

type Connection = Pick<DeviceRow, 'online' | 'activateTime'>

/** Green while the device polls. */
export const OnlineDot = ({ row, children }: { row: Connection; children?: ReactNode }) => (
  <span className="kit-row device-online">
    <State color={row.online === 1 ? 'success' : 'default'}>{formatConnection(row)}</State>
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

/** `kind` 1: only static groups. */
export function GroupPicker({ kind, ...props }: RecordSelectProps & { kind?: 1 }) {
  const [keyword, onSearch] = useKeyword()
  const read = useRead(devices.groupOptions, { keyword, ...(kind && { kind }) }, { quiet: true })
  const many = useHasManyTenants()
  const options = (read.data?.list ?? []).map((group) => ({
    value: group.id,
    label: [group.name, group.kind === 2 && '（动态）', many && ` · ${group.tenantName}`].filter(Boolean).join(''),
  }))
  return <RecordSelect {...props} placeholder="输入分组名称搜索" source={{ options, read, onSearch }} />
}

const OneTimeSecret = lazyAfterRender(() => import('#kit/feedback/one-time-secret.tsx'), 'OneTimeSecret')

/** Calls of the actions on a device except open and edit. */
export const DEVICE_ACTION_CALLS = [devices.command, devices.token, devices.clearToken, devices.remove]

/** Returns the actions on a device except open and edit, and the dialog for a new token. */
export function useDeviceActions({ onRemoved }: { onRemoved?: () => void } = {}) {
  const [made, setMade] = useState<MadeToken>()
  const token = useWrite(devices.token)
  const clear = useWrite(devices.clearToken)
  const command = useWrite(devices.command)
  const remove = useWrite(devices.remove)
  const dialog = made && <TokenSecret made={made} onClose={() => setMade(undefined)} />
  const actionsOf = (row: DeviceRow): readonly (RowAction | false)[] => [
    {
      label: '重新读取属性',
      to: devices.command,
      reason: row.status === 1 ? undefined : '设备已停用，不会收到指令',
      onClick: () => command.mutateAsync({ ids: [row.id] }).catch(() => {}),
    },
    {
      label: row.hasToken ? '更换令牌' : '生成令牌',
      to: devices.token,
      confirm: tokenConfirmation(row),
      onClick: async () => setMade(await token.mutateAsync({ id: row.id })),
    },
    row.hasToken && {
      label: '清除令牌',
      to: devices.clearToken,
      danger: true,
      confirm: `清除「${formatDeviceName(row)}」的令牌？设备将不能再用它连接。`,
      onClick: () => clear.mutateAsync({ id: row.id }),
    },
    {
      label: '删除',
      to: devices.remove,
      danger: true,
      confirm: `删除设备「${formatDeviceName(row)}」？删除后不能恢复，设备将不能再连接。`,
      onClick: () => remove.mutateAsync({ ids: [row.id] }).then(() => onRemoved?.()),
    },
  ]
  return { actionsOf, dialog }
}

const tokenConfirmation = (row: DeviceRow) =>
  row.hasToken
    ? `更换「${formatDeviceName(row)}」的令牌？旧令牌立即失效，设备写入新令牌前不能连接。`
    : `为「${formatDeviceName(row)}」生成令牌？令牌只显示一次。`

interface MadeToken {
  readonly sn: string
  readonly token: string
}

function TokenSecret({ made, onClose }: { made: MadeToken; onClose(): void }) {
  return (
    <OneTimeSecret
      title="设备令牌"
      owner="序列号"
      account={made.sn}
      label="设备令牌"
      secret={made.token}
      hint="请写入设备。服务器只保存其摘要，遗失后只能重新生成；重新生成后旧令牌立即失效。"
      onClose={onClose}
    />
  )
}
