import { type RefObject, useEffect, useState } from 'react'

/** The width of an element in pixels, followed as it changes; undefined until it is on the page. */
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
