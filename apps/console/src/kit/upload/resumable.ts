import { findRefusalMessage } from '#core/api/api-error.ts'
import type { StoredFile } from './stored-file.ts'

/** Server access of an upload; tests use a fake. */
export interface Transport {
  begin(file: File): Promise<{ uploadId: string; partBytes: number; received: number[] }>
  /** Sends one part; `onSent` reports its progress in bytes. */
  part(
    uploadId: string,
    index: number,
    bytes: Blob,
    onSent: (sent: number) => void,
    signal: AbortSignal,
  ): Promise<unknown>
  finish(uploadId: string): Promise<StoredFile>
  abort(uploadId: string): Promise<unknown>
}

/** `waiting`: the browser is offline, and the upload continues automatically. */
export type Phase = 'sending' | 'waiting' | 'paused' | 'finishing' | 'done' | 'failed' | 'cancelled'
export interface Progress {
  readonly phase: Phase
  readonly sent: number
  readonly total: number
  /** Bytes per second over the last seconds; 0 while no data is sent. */
  readonly speed: number
  readonly message: string
}

export interface Upload {
  readonly result: Promise<StoredFile | undefined>
  pause(): void
  resume(): void
  /** Cancels the upload and deletes its parts on the server. */
  cancel(): Promise<void>
}

interface Job {
  readonly file: File
  readonly transport: Transport
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
  readonly onProgress: (progress: Progress) => void
  readonly mayRetry: (error: unknown) => boolean
  uploadId: string
  /** Aborts the current part on pause or cancel. */
  stop: AbortController
  wanted: 'run' | 'pause' | 'cancel'
  gate: PromiseWithResolvers<void>
  readonly meter: Meter
}

const FIRST_WAIT = 1000
const LONGEST_WAIT = 15_000

/** Uploads a file in parts. Parts that the server has are skipped; a lost connection only pauses the upload. */
export function startUpload(
  file: File,
  { transport, wait, onProgress, mayRetry }: Pick<Job, 'transport' | 'wait' | 'onProgress' | 'mayRetry'>,
): Upload {
  const job: Job = {
    file,
    transport,
    wait,
    onProgress,
    mayRetry,
    uploadId: '',
    stop: new AbortController(),
    wanted: 'run',
    gate: Promise.withResolvers(),
    meter: createSpeedMeter(),
  }
  const stopFor = (wanted: 'pause' | 'cancel') => {
    job.wanted = wanted
    job.stop.abort()
    if (wanted === 'cancel') job.gate.resolve()
  }
  return {
    result: run(job),
    pause: () => stopFor('pause'),
    resume: () => {
      job.wanted = 'run'
      job.gate.resolve()
    },
    cancel: async () => {
      stopFor('cancel')
      if (job.uploadId) await transport.abort(job.uploadId).catch(() => {})
    },
  }
}

async function run(job: Job): Promise<StoredFile | undefined> {
  try {
    const { uploadId, partBytes, received } = await persistently(job, 0, () => job.transport.begin(job.file))
    job.uploadId = uploadId
    let sent = bytesOf(received, partBytes, job.file.size)
    const have = new Set(received)
    for (let index = 0; index * partBytes < job.file.size; index++) {
      if (have.has(index)) continue
      const bytes = job.file.slice(index * partBytes, (index + 1) * partBytes)
      const before = sent
      const onSent = (part: number) => reportPhase(job, 'sending', before + Math.min(part, bytes.size))
      await persistently(job, before, () => job.transport.part(uploadId, index, bytes, onSent, job.stop.signal))
      sent += bytes.size
      reportPhase(job, 'sending', sent)
    }
    reportPhase(job, 'finishing', job.file.size)
    const stored = await persistently(job, job.file.size, () => job.transport.finish(uploadId))
    reportPhase(job, 'done', job.file.size)
    return stored
  } catch (error) {
    if (error instanceof Cancelled) reportPhase(job, 'cancelled', 0)
    else reportPhase(job, 'failed', 0, findRefusalMessage(error, '上传失败，请检查文件后重试'))
    return undefined
  }
}

class Cancelled extends Error {}

/** Retries with pauses until the request succeeds, is refused, or is cancelled. */
async function persistently<T>(job: Job, sent: number, attempt: () => Promise<T>): Promise<T> {
  for (let pause = FIRST_WAIT; ; pause = Math.min(pause * 2, LONGEST_WAIT)) {
    await waitWhilePaused(job, sent)
    try {
      return await attempt()
    } catch (error) {
      if (job.wanted !== 'run' || job.stop.signal.aborted) continue
      if (!job.mayRetry(error)) throw error
      reportPhase(job, 'waiting', sent)
      await job.wait(pause, job.stop.signal)
    }
  }
}

async function waitWhilePaused(job: Job, sent: number) {
  if (job.wanted === 'pause') {
    reportPhase(job, 'paused', sent)
    job.gate = Promise.withResolvers()
    await job.gate.promise
  }
  if (job.wanted === 'cancel') throw new Cancelled()
  if (job.stop.signal.aborted) job.stop = new AbortController()
}

function reportPhase(job: Job, phase: Phase, sent: number, message = '') {
  job.onProgress({ phase, sent, total: job.file.size, speed: phase === 'sending' ? job.meter(sent) : 0, message })
}

const bytesOf = (received: readonly number[], partBytes: number, size: number) =>
  received.reduce((sum, index) => sum + Math.max(0, Math.min(partBytes, size - index * partBytes)), 0)

type Meter = (sent: number) => number
const WINDOW_MS = 4000

/** Computes the speed over a few seconds: stable, but quick to show a slow connection. */
function createSpeedMeter(now: () => number = () => performance.now()): Meter {
  let samples: { at: number; sent: number }[] = []
  return (sent) => {
    const at = now()
    samples = [...samples.filter((sample) => at - sample.at < WINDOW_MS && sample.sent <= sent), { at, sent }]
    const first = samples[0]
    return first && at > first.at ? ((sent - first.sent) * 1000) / (at - first.at) : 0
  }
}
