import type { ManifestAd, ManifestFile } from './manifest.ts'
import { AD_TYPE } from './manifest.ts'

interface Screen {
  readonly width: number
  readonly height: number
  readonly mayPlay: (codec: string) => boolean
}

/** Codecs that players test and report. A player plays a file of any other codec without a test. */
export const REPORTED_CODECS = ['avc1', 'hvc1', 'av01', 'vp8', 'vp9', 'mp4a', 'mp3', 'opus'] as const
export type ReportedCodec = (typeof REPORTED_CODECS)[number]

/** Other names of the reported codecs: further sample entries of RFC 6381, and names of media tools. */
const OTHER_NAMES: Readonly<Record<string, ReportedCodec>> = {
  avc: 'avc1',
  avc3: 'avc1',
  h264: 'avc1',
  hev1: 'hvc1',
  hevc: 'hvc1',
  h265: 'hvc1',
  av1: 'av01',
  vp08: 'vp8',
  vp09: 'vp9',
  aac: 'mp4a',
}

/**
 * Returns the reported codec of a codec string such as `avc1.640028` or `h264`; undefined when players do not report
 * it. Profile and level are ignored, because players decode lower levels than the one they name and often higher ones.
 */
export function findReportedCodec(codec: string): ReportedCodec | undefined {
  const family = codec.trim().toLowerCase().split('.')[0] ?? ''
  return REPORTED_CODECS.find((each) => each === family) ?? OTHER_NAMES[family]
}

/** Returns all names of a reported codec in codec strings, in lower case: `avc1`, `avc3` and `h264` for `avc1`. */
export const listCodecNames = (codec: ReportedCodec): string[] => [
  codec,
  ...Object.keys(OTHER_NAMES).filter((name) => OTHER_NAMES[name] === codec),
]

/**
 * Returns the `mayPlay` function of a screen that reported these codecs. The function returns false only for a codec
 * that players report and this screen did not report. A screen without a report plays all codecs.
 */
export function createCodecTest(codecs: readonly string[]): (codec: string) => boolean {
  const playable = new Set(codecs.map(findReportedCodec))
  return (codec) => {
    const reported = findReportedCodec(codec)
    return codecs.length === 0 || reported === undefined || playable.has(reported)
  }
}

const isPortrait = ({ width, height }: { readonly width: number; readonly height: number }) => height > width
const area = ({ width, height }: ManifestFile) => width * height

/**
 * Returns the rendition that a screen plays. Considers only playable codecs, and prefers the orientation of the screen.
 * Then selects the largest rendition that is not larger than the screen, otherwise the smallest. Among equal sizes, the
 * lowest id decides. Returns undefined when no codec is playable.
 */
export function chooseRendition({ files }: Pick<ManifestAd, 'files'>, screen: Screen): ManifestFile | undefined {
  const playable = files.filter(({ codec }) => codec === '' || screen.mayPlay(codec))
  const upright = playable.filter((file) => isPortrait(file) === isPortrait(screen))
  const candidates = upright.length > 0 ? upright : playable
  const fitting = candidates.filter(({ width, height }) => width <= screen.width && height <= screen.height)
  const order = fitting.length > 0 ? -1 : 1
  const pool = fitting.length > 0 ? fitting : candidates
  return pool.slice().sort((a, b) => order * (area(a) - area(b)) || a.materialId - b.materialId)[0]
}

/** Returns true when the ad needs a file. */
export const needsFile = ({ type }: ManifestAd) => type !== AD_TYPE.text && type !== AD_TYPE.web
