import { ticketDesk } from '@oms/contract/ticket/ticket-desk.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { useEffect, useEffectEvent, useState } from 'react'
import { call } from '#core/api/client.ts'

const BEAT_MS = 15_000
type Viewers = ResultOf<typeof ticketDesk.viewers>

/**
 * Returns the other viewers of a ticket. Reports this viewer every 15 seconds while the tab is visible, and reports
 * leaving.
 */
export function useViewers(id: number, typing: boolean) {
  const [viewers, setViewers] = useState<Viewers>([])
  const beat = useEffectEvent((leave: boolean) => {
    const said = call(ticketDesk.viewers, { id, typing: typing ? 1 : 0, leave: leave ? 1 : 0 }, { quiet: true })
    // A failed report is ignored, because the next report follows within 15 seconds.
    said.then(leave ? () => {} : setViewers, () => {})
  })
  useEffect(() => {
    beat(false)
    const timer = setInterval(() => beat(false), BEAT_MS)
    return () => {
      clearInterval(timer)
      void call(ticketDesk.viewers, { id, leave: 1 }, { quiet: true }).catch(() => {})
    }
  }, [id])
  useEffect(() => {
    if (typing) beat(false)
  }, [typing])
  return viewers
}
