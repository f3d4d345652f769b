import type { ManifestAd, ManifestItem } from '@oms/contract/advertise/engine/manifest.ts'
import { isTimedAdType } from './content.ts'

/** An approved ad. `fileMs`: milliseconds of one play of a video or audio, whose file determines the duration. */
export interface KnownAd extends ManifestAd {
  readonly fileMs?: number
}

/** Returns the milliseconds of the file of a video or audio ad; undefined for other kinds and for an unknown duration. */
export const fileMsOf = (type: number, durationMs: number | undefined): number | undefined =>
  isTimedAdType(type) && durationMs !== undefined && durationMs > 0 ? durationMs : undefined

interface WithItems {
  readonly items: readonly Pick<ManifestItem, 'adId' | 'ms'>[]
}

/**
 * Returns a program whose videos and audios last as long as their approved files. The approved version may have changed
 * since the program was published. Returns the same object when nothing differs.
 */
export function withFileDurations<P extends WithItems>(program: P, fileMs: (adId: number) => number | undefined): P {
  const differs = ({ adId, ms }: Pick<ManifestItem, 'adId' | 'ms'>) => (fileMs(adId) ?? ms) !== ms
  if (!program.items.some(differs)) return program
  return { ...program, items: program.items.map((item) => ({ ...item, ms: fileMs(item.adId) ?? item.ms })) }
}
