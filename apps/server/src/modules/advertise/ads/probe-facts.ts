/**
 * Facts of an uploaded file of an ad. Width and height apply to the rotated picture. The value 0 or an empty text means
 * that the fact is unknown.
 */
export interface ProbeFacts {
  readonly mime: string
  readonly width: number
  readonly height: number
  readonly rotation: number
  readonly durationMs: number
  readonly codec: string
  readonly fps: number
  readonly bitrate: number
  readonly hasAudio: number
}
export const EMPTY_PROBE_FACTS: ProbeFacts = {
  mime: '',
  width: 0,
  height: 0,
  rotation: 0,
  durationMs: 0,
  codec: '',
  fps: 0,
  bitrate: 0,
  hasAudio: 0,
}

export type ProbeKind = 'adImage' | 'adVideo' | 'adAudio' | 'adPackage' | 'adPoster'
/** Task of the probe process. `directory` belongs to this task. */
export interface ProbeTask {
  readonly kind: ProbeKind
  readonly path: string
  readonly directory: string
  readonly chunkBytes: number
}
export interface ProbedFile {
  readonly facts: ProbeFacts
  /** sha256 of each chunk of the played file. */
  readonly chunkHashes: string[]
  /** Files that the probe process wrote into the directory of the task; empty: none. */
  readonly thumbPath: string
  readonly pagePath: string
}
export type ProbeResponse = { readonly probed: ProbedFile } | { readonly refused: string }

const MAX_SHOWN = 100

/** Returns a name or an address of an uploaded file as a text that can be stored and shown. */
export const sanitizeProbedText = (text: string) =>
  text
    .slice(0, MAX_SHOWN)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')

/** Thrown when a file cannot be used. The message is shown to the person who uploaded the file. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError'
}
