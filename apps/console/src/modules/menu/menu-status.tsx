import { MENU_SCREEN, menu } from '@oms/contract/menu/menu.ts'
import { Tag } from 'antd'
import { call } from '#core/api/client.ts'
import { useWrite } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { selectAcceptedFields } from '#kit/form/form-values.ts'
import { NO_STATUS_PERMISSION, StatusSwitch } from '#kit/list/status-switch.tsx'
import type { Menu } from './menu-nodes.ts'
import './menu.css'

/** Enables or disables a menu, and marks a menu that is hidden or inactive under a disabled parent. */
export function MenuStatus({ row }: { row: Menu }) {
  const { id, name, status, visible, url } = row
  const { mutateAsync } = useWrite(menu.update)
  const mayCall = useMayCall()
  const change = async (on: boolean) => {
    const stored = await call(menu.get, { id })
    await mutateAsync({ ...selectAcceptedFields(menu.update, { ...stored }), status: on ? 1 : 0 } as never)
  }
  const reason = !(mayCall(menu.update) && mayCall(menu.get))
    ? NO_STATUS_PERMISSION
    : url === MENU_SCREEN
      ? '停用后将无法再管理菜单，不能停用'
      : undefined
  return (
    <span className="menu-status">
      <StatusSwitch
        on={status !== 0}
        name={name}
        reason={reason}
        warning="停用后，所有账号立即失去该菜单及其下级的权限。"
        onChange={change}
      />
      {status === 2 && <Tag color="orange">上级停用</Tag>}
      {visible === 0 && <Tag>隐藏</Tag>}
    </span>
  )
}
