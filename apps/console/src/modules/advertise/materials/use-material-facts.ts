import { type AdMaterial, ads } from '@oms/contract/advertise/ad.ts'
import { useEffect, useState } from 'react'
import { call } from '#core/api/client.ts'
import type { SentMaterial } from './use-material-uploads.ts'

const POLL_MS = 1200
const PENDING = 0

type FactsById = Readonly<Record<string, AdMaterial>>

/** Returns the facts of the files by id. Polls while the server is still reading a file. */
export function useMaterialFacts(value: readonly SentMaterial[], known: readonly AdMaterial[]): FactsById {
  const [facts, setFacts] = useState<FactsById>(() => Object.fromEntries(known.map((each) => [each.fileId, each])))
  const waiting = value
    .flatMap(({ fileId }) => ((facts[fileId]?.probeState ?? PENDING) === PENDING ? [fileId] : []))
    .join(',')
  useEffect(() => {
    if (waiting === '') return undefined
    const abort = new AbortController()
    const read = async () => {
      for (const fileId of waiting.split(',')) {
        const found = await call(ads.probe, { fileId }, { quiet: true, signal: abort.signal }).catch(() => undefined)
        if (found && !abort.signal.aborted) setFacts((all) => ({ ...all, [fileId]: found }))
      }
    }
    void read()
    const timer = setInterval(() => void read(), POLL_MS)
    return () => {
      clearInterval(timer)
      abort.abort()
    }
  }, [waiting])
  return facts
}
