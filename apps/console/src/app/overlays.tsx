import { type ComponentType, useEffect, useState } from 'react'
import { runWhenIdle } from '#core/loading/deferred.tsx'
import { loadChunk } from '#core/loading/load-chunk.ts'
import { overlaysRequested } from '#core/loading/overlays.ts'
import { relogin } from '#core/auth/relogin.ts'
import { useStore } from '#core/events/store.ts'

/** Loads early when idle, because a toast may be needed while the network is down. */
const QUIET_MS = 300
const AGAIN_MS = 5000

/** Mounts antd's dialogs, notifications and toasts; their code is not part of the first screen. */
export function Overlays() {
  const asked = useStore(relogin) !== undefined
  const wanted = useStore(overlaysRequested) || asked
  const [Host, setHost] = useState<ComponentType>()
  const [tries, setTries] = useState(0)
  useEffect(() => runWhenIdle(() => overlaysRequested.set(true), QUIET_MS), [])
  useEffect(() => {
    if (!wanted || Host) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    loadChunk(() => import('./overlay-host.tsx')).then(
      ({ OverlayHost }) => setHost(() => OverlayHost),
      // Loads at once when a message is already requested.
      () => {
        timer = setTimeout(() => setTries(tries + 1), AGAIN_MS)
      },
    )
    return () => clearTimeout(timer)
  }, [wanted, Host, tries])
  return Host && <Host />
}
