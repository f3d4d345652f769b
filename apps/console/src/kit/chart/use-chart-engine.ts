import { useEffect, useState } from 'react'
import { runWhenIdle } from '#core/loading/deferred.tsx'
import { loadChunk } from '#core/loading/load-chunk.ts'

export type ChartEngine = typeof import('./chart-engine.tsx')

let arrived: ChartEngine | undefined

const load = async () => {
  arrived ??= await loadChunk(() => import('./chart-engine.tsx'))
  return arrived
}

/** Loads the chart library after the page's figures are shown. `isUrgent` loads it at once, for the big screen. */
export function useChartEngine(isUrgent: boolean) {
  const [engine, setEngine] = useState(arrived)
  const [hasFailed, setFailed] = useState(false)
  const isMissing = engine === undefined && !hasFailed
  useEffect(() => {
    if (!isMissing) return
    let isMounted = true
    const begin = () =>
      void load().then(
        (loaded) => isMounted && setEngine(loaded),
        () => isMounted && setFailed(true),
      )
    const cancel = isUrgent ? begin() : runWhenIdle(begin, 0)
    return () => {
      isMounted = false
      cancel?.()
    }
  }, [isMissing, isUrgent])
  return { engine, hasFailed, retry: () => setFailed(false) }
}
