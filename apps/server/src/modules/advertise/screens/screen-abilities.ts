import type { Manifest, ManifestAd } from '@oms/contract/advertise/engine/manifest.ts'
import type { ScreenState } from '@oms/contract/advertise/engine/program.ts'
import { chooseRendition, createCodecTest, needsFile } from '@oms/contract/advertise/engine/renditions.ts'
import { FULL_HD } from './screen-table.ts'

/** What a screen reported about itself. */
interface ReportedScreen {
  /** Pixels; 0: unknown. */
  readonly width: number
  readonly height: number
  /** Empty: unknown. */
  readonly codecs: readonly string[]
  readonly failed: readonly { readonly sha256: string }[]
}

/**
 * Returns the ads of a manifest that a screen skips: those whose file it reported as failed, and those without a
 * rendition in one of its codecs.
 */
export function computeScreenState(
  { ads }: Pick<Manifest, 'ads'>,
  { width, height, codecs, failed }: ReportedScreen,
): ScreenState {
  const size = width > 0 && height > 0 ? { width, height } : FULL_HD
  const screen = { ...size, mayPlay: createCodecTest(codecs) }
  const broken = new Set(failed.map(({ sha256 }) => sha256))
  const withFile = ads.filter(needsFile)
  const isBroken = (ad: ManifestAd) => {
    const file = chooseRendition(ad, screen)
    return file !== undefined && broken.has(file.sha256)
  }
  return {
    filesNotReady: withFile.filter(isBroken).map(({ id }) => id),
    codecsUnsupported: withFile.filter((ad) => !chooseRendition(ad, screen)).map(({ id }) => id),
  }
}
