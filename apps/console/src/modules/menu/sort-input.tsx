import { InputNumber } from 'antd'
import type { MenuNode } from './menu-nodes.ts'
import type { MenuOrder } from './use-menu-order.ts'

/** Sort number of a menu. */
export function SortInput({ menu, order }: { menu: MenuNode; order: MenuOrder }) {
  if (!order.allowed) return menu.sort
  return (
    <InputNumber
      size="small"
      min={0}
      max={99_999}
      precision={0}
      className="menu-sort"
      aria-label={`${menu.name}的排序`}
      value={order.sortOf(menu)}
      onChange={(next) => next !== null && order.type(menu, next)}
    />
  )
}
