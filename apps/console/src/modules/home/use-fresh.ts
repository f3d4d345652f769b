import { useEffect, useRef } from 'react'
import { useServerEvent } from '#core/events/events.ts'

const MINUTE_MS = 60_000
/** Debounce: many changes cause one refetch. */
const PAUSE_MS = 3000

/** Refetches every minute while the page is visible, and soon after a change of its data. */
export function useReloadOnChange(resources: readonly string[], look: () => void) {
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
