import { type ComponentType, useEffect, useState } from 'react'
import { whenQuiet } from '#kernel/later.tsx'
import { loadChunk } from '#kernel/load-chunk.ts'
import { overlaysWanted } from '#kernel/overlays.ts'
import { relogin } from '#kernel/relogin.ts'
import { useStore } from '#kernel/store.ts'

/** They come early in a quiet moment: the first of them may have to say that the line is gone. */
const QUIET_MS = 300
const AGAIN_MS = 5000

/** Questions, notices and toasts, above whatever is shown; their code is no part of the first screen. */
export function Overlays() {
  const asked = useStore(relogin) !== undefined
  const wanted = useStore(overlaysWanted) || asked
  const [Host, setHost] = useState<ComponentType>()
  const [tries, setTries] = useState(0)
  useEffect(() => whenQuiet(() => overlaysWanted.set(true), QUIET_MS), [])
  useEffect(() => {
    if (!wanted || Host) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    loadChunk(() => import('./overlay-host.tsx')).then(
      ({ OverlayHost }) => setHost(() => OverlayHost),
      // Somebody waits for what they have to say.
      () => {
        timer = setTimeout(() => setTries(tries + 1), AGAIN_MS)
      },
    )
    return () => clearTimeout(timer)
  }, [wanted, Host, tries])
  return Host && <Host />
}
