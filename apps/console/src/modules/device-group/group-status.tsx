import { deviceGroups } from '@oms/contract/device-group/device-group.ts'
import { call } from '#core/api/client.ts'
import { useWrite } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import { NO_STATUS_PERMISSION, StatusSwitch } from '#kit/list/status-switch.tsx'
import { toGroupInput } from './group-input.ts'
import type { Group } from './group-tree.ts'

/** Enables or disables a group; the other fields are saved as they are stored. */
export function GroupStatus({ row: { id, groupName, status } }: { row: Pick<Group, 'id' | 'groupName' | 'status'> }) {
  const { mutateAsync } = useWrite(deviceGroups.update)
  const can = useCan()
  const change = async (on: boolean) => {
    const stored = await call(deviceGroups.get, { id })
    await mutateAsync({ ...toGroupInput({ ...stored, status: on ? 1 : 0 }), id, rev: stored.rev })
  }
  return (
    <StatusSwitch
      on={status === 1}
      name={groupName}
      reason={can(deviceGroups.update.access) && can(deviceGroups.get.access) ? undefined : NO_STATUS_PERMISSION}
      warning="停用后发布升级时不能选择该分组，已选择该分组的发布不再匹配其中的设备。"
      onChange={change}
    />
  )
}
