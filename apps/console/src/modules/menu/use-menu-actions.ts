import { menu } from '@oms/contract/menu/menu.ts'
import { useWrite } from '#core/api/query.ts'
import type { RowAction } from '#kit/list/row-actions.tsx'
import type { MenuDialogState } from './menu-dialog.tsx'
import type { MenuNode } from './menu-nodes.ts'

/** Returns the row actions of a menu. */
export function useMenuActions(onShow: (shown: MenuDialogState) => void, onOpen: (menu: MenuNode) => void) {
  const buttons = useWrite(menu.buttons)
  const remove = useWrite(menu.remove)
  return (row: MenuNode): readonly (RowAction | false)[] => [
    { label: '编辑', to: menu.update, onClick: () => onShow({ what: 'edit', id: row.id }) },
    canHaveChildren(row) && { label: '新增下级', to: menu.create, onClick: () => onShow({ what: 'add', parent: row }) },
    { label: '详情', onClick: () => onOpen(row) },
    row.type === 'C' &&
      row.perms.endsWith(':list') && {
        label: '生成标准按钮',
        to: menu.buttons,
        confirm: `为「${row.name}」补齐详情、新增、编辑、删除、导入、导出按钮？已有的不会重复。`,
        onClick: () => buttons.mutateAsync({ id: row.id }),
      },
    row.isBuiltin === 0 && {
      label: '删除',
      to: menu.remove,
      danger: true,
      reason: row.children === undefined ? undefined : '有下级菜单，不能删除',
      confirm: `删除菜单「${row.name}」？删除后不能恢复。`,
      onClick: () => remove.mutateAsync({ id: row.id }),
    },
  ]
}

/**
 * Returns true when the menu may have children. A button below a page without its own permission could not be granted.
 */
const canHaveChildren = ({ type, perms }: MenuNode) => type === 'M' || (type === 'C' && perms !== '')
