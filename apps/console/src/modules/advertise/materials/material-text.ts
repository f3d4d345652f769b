import type { AdMaterial, AdRow } from '@oms/contract/advertise/ad.ts'

const CODECS: Readonly<Record<string, string>> = {
  avc1: 'H.264',
  hvc1: 'H.265',
  av01: 'AV1',
  vp8: 'VP8',
  vp9: 'VP9',
  mp4a: 'AAC',
  mp3: 'MP3',
  opus: 'Opus',
}
/** Codecs that browsers and set-top players of the last ten years decode. */
const COMMON = new Set(['avc1', 'vp8', 'vp9', 'mp4a', 'mp3', 'pcm-s16', ''])

const UNITS = ['B', 'KB', 'MB'] as const
const STEP = 1024

/** Formats a size with one decimal: `8.0 MB`. */
function sizeText(bytes: number) {
  const unit = bytes < STEP ? 0 : bytes < STEP * STEP ? 1 : 2
  return `${(bytes / STEP ** unit).toFixed(unit === 0 ? 0 : 1)} ${UNITS[unit]}`
}

type Facts = Pick<AdMaterial, 'width' | 'height' | 'durationMs' | 'codec' | 'size'>

export const formatCodec = (codec: string) => CODECS[codec] ?? codec.toUpperCase()

/** Formats the facts of a file: `1920×1080 · 15.0 秒 · H.264 · 8.0 MB`. */
export const formatFileFacts = ({ width, height, durationMs, codec, size }: Facts) =>
  [
    width > 0 && `${width}×${height}`,
    durationMs > 0 && `${(durationMs / 1000).toFixed(1)} 秒`,
    codec !== '' && formatCodec(codec),
    sizeText(size),
  ]
    .filter(Boolean)
    .join(' · ')

/** Returns a warning about a file that some screens cannot play; empty without one. */
export const findCodecWarning = ({ codec }: Pick<AdMaterial, 'codec'>) =>
  COMMON.has(codec) ? '' : '该编码部分屏幕无法播放'

/** Formats an ad for a list: `1920×1080 · 15 秒 · 2.3 MB`. A number is not separated from its unit. */
export function formatAdSpecification({ spec, duration, fileBytes }: Pick<AdRow, 'spec' | 'duration' | 'fileBytes'>) {
  const sizes = spec.split('、')
  return [
    sizes.length > 1 ? `${sizes[0]} 等${sizes.length}种` : spec,
    `${duration}\u00a0秒`,
    fileBytes > 0 && sizeText(fileBytes).replace(' ', '\u00a0'),
  ]
    .filter(Boolean)
    .join(' · ')
}

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** Returns bytes with one decimal: `96.4 GB`. */
export function formatBytes(bytes: number): string {
  const power = bytes > 0 ? Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(1024))) : 0
  return `${(bytes / 1024 ** power).toFixed(power > 1 ? 1 : 0)} ${BYTE_UNITS[power]}`
}

/** Formats hours: `3.2 小时`, below one hour in minutes. */
export const formatHours = (hours: number): string =>
  hours < 1 ? `${Math.ceil(hours * 60)} 分钟` : `${hours.toFixed(1)} 小时`
