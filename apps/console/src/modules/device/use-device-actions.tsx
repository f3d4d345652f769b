import { devices } from '@oms/contract/device/device-info.ts'
import type { DeviceRow } from '@oms/contract/device/device-row.ts'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useWrite } from '#core/api/query.ts'
import type { RowAction } from '#kit/list/row-actions.tsx'
import { formatDeviceName } from './device-cells.tsx'

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
