import { PlusOutlined } from '@ant-design/icons'
import { menu } from '@oms/contract/menu/menu.ts'
import { Button } from 'antd'
import { Allowed } from '#core/auth/session.tsx'
import type { MenuDialogState } from './menu-dialog.tsx'
import type { ExpandedMenus } from './use-expanded-menus.ts'
import type { MenuOrder } from './use-menu-order.ts'

interface ToolbarProps {
  order: MenuOrder
  expanded: ExpandedMenus
  onShow(shown: MenuDialogState): void
}

/** Toolbar of the menu tree. Its buttons add a menu, expand all menus and save the changed order. */
export function MenuToolbar({ order, expanded, onShow }: ToolbarProps) {
  return (
    <>
      <Allowed to={menu.create}>
        <Button type="primary" icon={<PlusOutlined />} onClick={() => onShow({ what: 'add' })}>
          新增菜单
        </Button>
      </Allowed>
      <Button onClick={expanded.toggleAll}>{expanded.all ? '全部收起' : '全部展开'}</Button>
      {order.changed > 0 && (
        <>
          <Button type="primary" ghost loading={order.saving} onClick={order.save}>
            保存排序（{order.changed}）
          </Button>
          <Button onClick={order.discard}>放弃</Button>
        </>
      )}
    </>
  )
}
