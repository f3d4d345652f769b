import type { PointerEvent, ThHTMLAttributes } from 'react'

interface HeaderProps extends ThHTMLAttributes<HTMLTableCellElement> {
  'data-key'?: string
  onWidth?: (key: string, width: number) => void
}

/** Header cell with a resizable right edge; reports the width when the drag ends. */
export function ResizableHeader({ onWidth, ...cell }: HeaderProps) {
  const key = cell['data-key']
  if (!onWidth || !key) return <th {...cell} />
  return (
    <th {...cell}>
      {cell.children}
      <span
        aria-hidden
        className="kit-resize"
        onPointerDown={(event) => pull(event, (width) => onWidth(key, width))}
        // A click on the header sorts; a click on the resize handle does not.
        onClick={(event) => event.stopPropagation()}
      />
    </th>
  )
}

/** Moves only the handle during the drag, so that the table layout is computed once at the end. */
function pull(event: PointerEvent<HTMLElement>, done: (width: number) => void) {
  const handle = event.currentTarget
  const from = event.clientX
  const width = handle.parentElement?.offsetWidth ?? 0
  const offset = (moved: globalThis.PointerEvent) => moved.clientX - from
  const onMove = (moved: globalThis.PointerEvent) => {
    handle.style.transform = `translateX(${Math.max(60 - width, offset(moved))}px)`
  }
  const onUp = (last: globalThis.PointerEvent) => {
    handle.removeEventListener('pointermove', onMove)
    handle.classList.remove('kit-resizing')
    handle.style.transform = ''
    if (offset(last) !== 0) done(width + offset(last))
  }
  event.preventDefault()
  handle.setPointerCapture(event.pointerId)
  handle.classList.add('kit-resizing')
  handle.addEventListener('pointermove', onMove)
  handle.addEventListener('pointerup', onUp, { once: true })
}
