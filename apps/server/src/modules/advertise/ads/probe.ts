import { fork } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { AD_MESSAGES } from '@oms/contract/advertise/ad-rules.ts'
import { MEDIA_CHUNK } from '@oms/contract/advertise/engine/manifest.ts'
import type { FileStore } from '#core/storage/store.ts'

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

export interface ProbeLimits {
  readonly heapMb: number
  readonly workMs: number
}

const LIMITS: ProbeLimits = { heapMb: 256, workMs: 20_000 }
const REFUSALS: Readonly<Record<ProbeKind, string>> = {
  adImage: AD_MESSAGES.damagedImage,
  adPoster: AD_MESSAGES.damagedImage,
  adVideo: AD_MESSAGES.damaged,
  adAudio: AD_MESSAGES.damagedAudio,
  adPackage: AD_MESSAGES.pageBroken,
}

/**
 * Probes an uploaded file in a separate process with limited memory and time, and calls `use` with the result while the
 * written files exist. A crash of a decoder ends only that process. Rejects with `FileRefusedError` for unusable files.
 */
export async function probeFile<T>(
  store: Pick<FileStore, 'openRead'>,
  { kind, sha256 }: { readonly kind: ProbeKind; readonly sha256: string },
  use: (probed: ProbedFile) => Promise<T>,
  limits: ProbeLimits = LIMITS,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'oms-probe-'))
  try {
    const path = join(directory, 'upload')
    await pipeline(await store.openRead(sha256), createWriteStream(path))
    return await use(await runProbe({ kind, path, directory, chunkBytes: MEDIA_CHUNK }, limits))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function runProbe(task: ProbeTask, { heapMb, workMs }: ProbeLimits): Promise<ProbedFile> {
  const file = import.meta.url.endsWith('.ts') ? './probe-worker.ts' : './probe-worker.mjs'
  // The process gets no environment, so that a hostile file reaches no secret of the server.
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
    env: {},
    execArgv: [`--max-old-space-size=${heapMb}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const { promise, resolve, reject } = Promise.withResolvers<ProbedFile>()
  const refuse = () => reject(new FileRefusedError(REFUSALS[task.kind]))
  const timer = setTimeout(() => child.kill('SIGKILL'), workMs)
  child.once('message', (answer: ProbeResponse) =>
    'probed' in answer ? resolve(answer.probed) : reject(new FileRefusedError(answer.refused)),
  )
  child.once('error', reject)
  child.once('exit', refuse)
  child.send(task, (error) => error && reject(error))
  return promise.finally(() => {
    clearTimeout(timer)
    child.kill('SIGKILL')
  })
}
