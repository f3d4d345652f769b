import { InputNumber } from 'antd'
import type { MenuNode } from './menu-nodes.ts'
import type { MenuOrder } from './use-menu-order.ts'

/** Sort number of a menu. Alt with an arrow key moves the menu by one position and saves at once. */
export function SortInput({ menu, order }: { menu: MenuNode; order: MenuOrder }) {
  if (!order.allowed) return menu.sort
  return (
    <InputNumber
      size="small"
      min={0}
      max={99_999}
      precision={0}
      className="menu-sort"
      aria-label={`${menu.name}的排序，按 Alt 加上下方向键移动一位`}
      value={order.sortOf(menu)}
      keyboard={false}
      onKeyDown={(event) => {
        if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
        event.preventDefault()
        order.step(menu.id, event.key === 'ArrowUp' ? -1 : 1)
      }}
      onChange={(next) => next !== null && order.type(menu, next)}
    />
  )
}
