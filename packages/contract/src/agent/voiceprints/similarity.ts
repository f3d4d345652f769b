/** Bands of the similarity between two recordings, highest first. */
export const SIMILARITY_BANDS = { high: '高', medium: '中', low: '低', none: '不相似' } as const
export type SimilarityBand = keyof typeof SIMILARITY_BANDS

/** Lowest similarity of each band, from 0 to 1. */
export interface SimilarityThresholds {
  readonly high: number
  readonly medium: number
  readonly low: number
}

/** Default thresholds. `medium` equals the default of the voice servers. */
export const DEFAULT_THRESHOLDS: SimilarityThresholds = { high: 0.6, medium: 0.4, low: 0.2 }

/** Keys of the thresholds in the local storage of the browser. */
export const THRESHOLD_KEYS = {
  high: 'similarityHigh',
  medium: 'similarityMedium',
  low: 'similarityLow',
} as const satisfies Readonly<Record<keyof SimilarityThresholds, string>>

const NUMBER = /^\d{1,3}(?:\.\d{1,6})?$/

/**
 * Returns the thresholds that `read` finds under `THRESHOLD_KEYS`. Values above 1 are percentages. A missing or invalid
 * value is replaced by its default; thresholds in the wrong order are all replaced.
 */
export function parseThresholds(read: (key: string) => string | null): SimilarityThresholds {
  const of = (band: keyof SimilarityThresholds) => fraction(read(THRESHOLD_KEYS[band])) ?? DEFAULT_THRESHOLDS[band]
  const found = { high: of('high'), medium: of('medium'), low: of('low') }
  return found.high >= found.medium && found.medium >= found.low ? found : DEFAULT_THRESHOLDS
}

function fraction(text: string | null): number | undefined {
  const trimmed = text?.trim() ?? ''
  if (!NUMBER.test(trimmed)) return undefined
  const value = Number(trimmed)
  return value <= 1 ? value : value <= 100 ? value / 100 : undefined
}

/** Returns the band of a similarity. A similarity equal to a threshold belongs to the band of the threshold. */
export function findBand(similarity: number, { high, medium, low }: SimilarityThresholds): SimilarityBand {
  if (similarity >= high) return 'high'
  if (similarity >= medium) return 'medium'
  return similarity >= low ? 'low' : 'none'
}
