export type Similarity = 'high' | 'medium' | 'low'
export type Thresholds = Readonly<Record<Similarity, number>>

/** Shares from which a match counts as high, medium or low. The specification leaves the values to local storage. */
export const DEFAULT_THRESHOLDS: Thresholds = { high: 0.85, medium: 0.7, low: 0.5 }
const THRESHOLDS_KEY = 'similarity'

/** The thresholds of this browser; anything missing, out of order or not a share is the default. */
export function readThresholds(storage: Pick<Storage, 'getItem'> = localStorage): Thresholds {
  const stored = parsed(storage.getItem(THRESHOLDS_KEY))
  const share = (name: Similarity) => {
    const value = Number(stored[name] ?? Number.NaN)
    return value >= 0 && value <= 1 ? value : DEFAULT_THRESHOLDS[name]
  }
  const read = { high: share('high'), medium: share('medium'), low: share('low') }
  return read.high >= read.medium && read.medium >= read.low ? read : DEFAULT_THRESHOLDS
}

export const similarityOf = (share: number, { high, medium, low }: Thresholds): Similarity | 'none' =>
  share >= high ? 'high' : share >= medium ? 'medium' : share >= low ? 'low' : 'none'

function parsed(text: string | null): Partial<Record<Similarity, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
