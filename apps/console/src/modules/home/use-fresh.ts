import { useEffect, useRef } from 'react'
import { useServerEvent } from '#kernel/events.ts'

const MINUTE_MS = 60_000
/** A hundred changes in a row are one look. */
const PAUSE_MS = 3000

/** Looks again every minute while the page is in sight, and soon after somebody changed what it shows. */
export function useFresh(resources: readonly string[], look: () => void) {
  const latest = useRef(look)
  const soon = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    latest.current = look
  })
  useServerEvent('changed', ({ resource }) => {
    if (!resources.includes(resource) || soon.current) return
    soon.current = setTimeout(() => {
      soon.current = undefined
      latest.current()
    }, PAUSE_MS)
  })
  useEffect(() => {
    const every = setInterval(() => document.visibilityState === 'visible' && latest.current(), MINUTE_MS)
    return () => {
      clearInterval(every)
      clearTimeout(soon.current)
      soon.current = undefined
    }
  }, [])
}
