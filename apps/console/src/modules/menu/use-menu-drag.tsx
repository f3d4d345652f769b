import { HolderOutlined } from '@ant-design/icons'
import { type DragEvent, type HTMLAttributes, useRef } from 'react'
import type { MenuNode } from './menu-nodes.ts'
import type { DropZone } from './menu-places.ts'
import type { MenuOrder } from './use-menu-order.ts'

/**
 * Share of the row height at the top and at the bottom where a drop means "before" or "after". Elsewhere it means
 * "into".
 */
const EDGE = 0.3

/**
 * Drag and drop of menus over the rows of the tree. Keyboard users move menus with SortInput. The drop indicator is set
 * on the DOM row, because rendering hundreds of rows would lag behind the pointer.
 */
export function useMenuDrag(order: MenuOrder, onInto: (id: number) => void) {
  const dragged = useRef<MenuNode>(undefined)
  const end = () => {
    dragged.current = undefined
    for (const row of document.querySelectorAll<HTMLElement>('[data-drop]')) delete row.dataset['drop']
  }
  const zoneOf = (event: DragEvent<HTMLElement>, row: MenuNode) => {
    const from = dragged.current
    return from && dropZonesAt(event).find((zone) => order.mayDrop(from, row, zone))
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

function mark(row: HTMLElement, zone: DropZone | undefined) {
  if (zone) row.dataset['drop'] = zone
  else delete row.dataset['drop']
}

/** Returns the possible drop positions at the pointer, the most likely first. */
function dropZonesAt({ currentTarget, clientY }: DragEvent<HTMLElement>): readonly DropZone[] {
  const { top, height } = currentTarget.getBoundingClientRect()
  const part = (clientY - top) / height
  const beside: readonly DropZone[] = part < 0.5 ? ['before', 'after'] : ['after', 'before']
  return part > EDGE && part < 1 - EDGE ? ['into', ...beside] : [...beside, 'into']
}
