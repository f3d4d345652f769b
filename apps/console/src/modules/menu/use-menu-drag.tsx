import { HolderOutlined } from '@ant-design/icons'
import { type DragEvent, type HTMLAttributes, useRef } from 'react'
import type { MenuNode } from './menu-nodes.ts'
import type { Zone } from './menu-places.ts'
import type { MenuOrder } from './use-menu-order.ts'

/** Share of a row's height, at its top and at its bottom, that means beside it. The rest means into it. */
const EDGE = 0.3

/**
 * Menus dragged by their handle over the rows of the tree. The keyboard has its own way: see SortInput.
 * The mark of where it would fall is set on the row itself: drawing hundreds of rows anew would lag behind the pointer.
 */
export function useMenuDrag(order: MenuOrder, onInto: (id: number) => void) {
  const dragged = useRef<MenuNode>(undefined)
  const end = () => {
    dragged.current = undefined
    for (const row of document.querySelectorAll<HTMLElement>('[data-drop]')) delete row.dataset['drop']
  }
  const zoneOf = (event: DragEvent<HTMLElement>, row: MenuNode) => {
    const from = dragged.current
    return from && zonesAt(event).find((zone) => order.mayDrop(from, row, zone))
  }
  const handle = (row: MenuNode) => (
    <DragHandle
      name={row.name}
      onStart={() => {
        dragged.current = row
      }}
      onEnd={end}
    />
  )
  const rowProps = (row: MenuNode): HTMLAttributes<HTMLElement> => ({
    onDragOver(event) {
      const zone = zoneOf(event, row)
      mark(event.currentTarget, zone)
      if (zone) event.preventDefault()
    },
    onDragLeave: ({ currentTarget }) => mark(currentTarget, undefined),
    onDrop(event) {
      const zone = zoneOf(event, row)
      const from = dragged.current
      end()
      if (!zone || !from) return
      event.preventDefault()
      order.drop(from, row, zone)
      if (zone === 'into') onInto(row.id)
    },
  })
  return { handle, rowProps }
}

function DragHandle({ name, onStart, onEnd }: { name: string; onStart(): void; onEnd(): void }) {
  return (
    <span
      className="menu-drag"
      draggable
      title="拖动调整位置"
      onDragStart={({ currentTarget, dataTransfer }) => {
        onStart()
        dataTransfer.effectAllowed = 'move'
        dataTransfer.setData('text/plain', name)
        const line = currentTarget.closest('tr')
        if (line) dataTransfer.setDragImage(line, 16, 16)
      }}
      onDragEnd={onEnd}
    >
      <HolderOutlined aria-hidden />
    </span>
  )
}

function mark(row: HTMLElement, zone: Zone | undefined) {
  if (zone) row.dataset['drop'] = zone
  else delete row.dataset['drop']
}

/** What a pointer here can mean, the likeliest first. */
function zonesAt({ currentTarget, clientY }: DragEvent<HTMLElement>): readonly Zone[] {
  const { top, height } = currentTarget.getBoundingClientRect()
  const part = (clientY - top) / height
  const beside: readonly Zone[] = part < 0.5 ? ['before', 'after'] : ['after', 'before']
  return part > EDGE && part < 1 - EDGE ? ['into', ...beside] : [...beside, 'into']
}
