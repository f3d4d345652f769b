import type { OfferedAdRow } from '@oms/contract/advertise/program-options.ts'
import { type DragEvent, useRef, useState } from 'react'

/** Object that the pointer drags: an ad of the library, or an item of the track by its index. */
export type DraggedItem =
  | { readonly kind: 'ad'; readonly ad: OfferedAdRow }
  | { readonly kind: 'item'; readonly from: number }

/**
 * Drag and drop into and within the track. `at` is the index before which a drop inserts; undefined while nothing is
 * dragged over the track. Keyboard users add and move with buttons.
 */
export function useTrackDrag(count: number, onDrop: (dragged: DraggedItem, at: number) => void) {
  const dragged = useRef<DraggedItem>(undefined)
  const [at, setAt] = useState<number>()
  const end = () => {
    dragged.current = undefined
    setAt(undefined)
  }
  const accept = (event: DragEvent, index: number) => {
    if (!dragged.current) return
    event.preventDefault()
    event.stopPropagation()
    setAt(index)
  }
  const drop = (event: DragEvent) => {
    const what = dragged.current
    const place = at
    end()
    if (!what || place === undefined) return
    event.preventDefault()
    event.stopPropagation()
    onDrop(what, place)
  }
  return {
    at,
    start: (what: DraggedItem | undefined) => {
      dragged.current = what
      if (!what) end()
    },
    /**
     * Props of the row with this index. A drop on the upper half inserts before the row, on the lower half after the
     * row.
     */
    row: (index: number) => ({
      onDragOver: (event: DragEvent<HTMLElement>) => accept(event, isInUpperHalf(event) ? index : index + 1),
      onDrop: drop,
    }),
    /** Props of the area around the rows: a drop there inserts at the end. */
    area: {
      onDragOver: (event: DragEvent<HTMLElement>) => accept(event, count),
      onDragLeave: (event: DragEvent<HTMLElement>) => leaves(event) && setAt(undefined),
      onDrop: drop,
    },
  }
}

const leaves = ({ currentTarget, relatedTarget }: DragEvent<HTMLElement>) =>
  !(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))

function isInUpperHalf({ currentTarget, clientY }: DragEvent<HTMLElement>) {
  const { top, height } = currentTarget.getBoundingClientRect()
  return clientY < top + height / 2
}
