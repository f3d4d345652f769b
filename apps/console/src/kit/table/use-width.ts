import { type RefObject, useEffect, useState } from 'react'

/** Returns the width of an element in pixels, updated on resize; undefined before the first layout. */
export function useWidth(place: RefObject<HTMLElement | null>) {
  const [width, setWidth] = useState<number>()
  useEffect(() => {
    const element = place.current
    if (!element) return
    const observer = new ResizeObserver(
      ([entry]) => entry && entry.contentRect.width > 0 && setWidth(entry.contentRect.width),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [place])
  return width
}
