import { type RefObject, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** Returns the width of an element in pixels, updated before the paint of a new size; undefined during the first render. */
export function useWidth(place: RefObject<HTMLElement | null>) {
  const [width, setWidth] = useState<number>()
  useLayoutEffect(() => {
    const element = place.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      const next = entry?.contentRect.width ?? 0
      if (next > 0) flushSync(() => setWidth(next))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [place])
  return width
}
