import { desk } from '@oms/contract/feedback-desk.ts'
import type { ResultOf } from '@oms/contract/kernel/endpoint.ts'
import { useEffect, useEffectEvent, useState } from 'react'
import { call } from '#kernel/call.ts'

const BEAT_MS = 15_000
type Viewers = ResultOf<typeof desk.viewers>

/** Who else has the ticket open. Says so every 15 seconds while it is shown, and goodbye when it is not. */
export function useViewers(id: number, typing: boolean) {
  const [viewers, setViewers] = useState<Viewers>([])
  const beat = useEffectEvent((leave: boolean) => {
    const said = call(desk.viewers, { id, typing: typing ? 1 : 0, leave: leave ? 1 : 0 }, { quiet: true })
    // Whoever cannot say so still works on; the next beat tries again.
    said.then(leave ? () => {} : setViewers, () => {})
  })
  useEffect(() => {
    beat(false)
    const timer = setInterval(() => beat(false), BEAT_MS)
    return () => {
      clearInterval(timer)
      void call(desk.viewers, { id, leave: 1 }, { quiet: true }).catch(() => {})
    }
  }, [id])
  useEffect(() => {
    if (typing) beat(false)
  }, [typing])
  return viewers
}
