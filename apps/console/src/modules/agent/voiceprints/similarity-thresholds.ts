import { type Thresholds, thresholdsFrom } from '@oms/contract/agent/voiceprints/similarity.ts'

/** Reads the thresholds from local storage. A browser that refuses local storage uses the defaults. */
export function readThresholds(): Thresholds {
  return thresholdsFrom((key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  })
}
