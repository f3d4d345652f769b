// Facts of this browser that the server stores with the screen.
import { findReportedCodec, REPORTED_CODECS, type ReportedCodec } from '@oms/contract/advertise/engine/renditions.ts'

const TYPES: Readonly<Record<ReportedCodec, string>> = {
  avc1: 'video/mp4; codecs="avc1.640028"',
  hvc1: 'video/mp4; codecs="hvc1.1.6.L120.90"',
  av01: 'video/mp4; codecs="av01.0.08M.08"',
  vp8: 'video/webm; codecs="vp8"',
  vp9: 'video/webm; codecs="vp9"',
  mp4a: 'audio/mp4; codecs="mp4a.40.2"',
  mp3: 'audio/mpeg',
  opus: 'audio/webm; codecs="opus"',
}

let found: readonly ReportedCodec[] | undefined

/** Returns the codecs that the browser reports as playable. */
export function detectPlayableCodecs() {
  if (found) return found
  const video = document.createElement('video')
  return (found = REPORTED_CODECS.filter((codec) => video.canPlayType(TYPES[codec]) !== ''))
}

/** Returns false only for a known codec that the browser cannot play. */
export function canPlayCodec(codec: string) {
  const known = findReportedCodec(codec)
  return known === undefined || detectPlayableCodecs().includes(known)
}

/** Returns the size of the screen in physical pixels. */
export const readScreenSize = () => ({
  width: Math.round(innerWidth * devicePixelRatio),
  height: Math.round(innerHeight * devicePixelRatio),
})

/** Returns the free bytes of the browser's storage; undefined when the browser does not report the quota. */
export async function readFreeBytes() {
  const estimate = await navigator.storage?.estimate().catch(() => undefined)
  return estimate?.quota === undefined ? undefined : Math.max(0, estimate.quota - (estimate.usage ?? 0))
}
