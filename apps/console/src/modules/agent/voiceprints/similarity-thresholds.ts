import { type SimilarityThresholds, parseThresholds } from '@oms/contract/agent/voiceprints/similarity.ts'

/** Reads the thresholds from local storage. Uses the defaults when the browser denies access to local storage. */
export function readThresholds(): SimilarityThresholds {
  return parseThresholds((key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  })
}
