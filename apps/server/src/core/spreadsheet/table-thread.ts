import { Worker } from 'node:worker_threads'
import { HttpError } from '#core/http/api-error.ts'
import { Semaphore } from '#core/process/concurrency.ts'
import type { OpenTable } from './table-reader.ts'

/** Input of a table thread. */
export interface TableThreadInput {
  readonly bytes: Uint8Array
  readonly name: string
  readonly limits: Partial<TableLimits>
}

/** Message to the thread: requests the next rows. */
type TableThreadRequest = 'next'

/** Messages from the thread: first the header, then requested rows, an empty list at the end. */
export type TableThreadResponse =
  | { readonly header: readonly string[] }
  | { readonly rows: readonly TableRow[] }
  | { readonly unreadable: string }
  | { readonly fault: string }

/** Resource limits of an imported file. All limits protect against small files that unpack into large files. */
export interface TableLimits {
  readonly maxEntries: number
  /** Also the maximum characters of all cells together, because cells can share one stored text. */
  readonly maxUnpackedBytes: number
  /** Ratio of unpacked to packed size. Checked only for unpacked sizes above 10 MB. */
  readonly maxRatio: number
  readonly maxRows: number
  readonly maxColumns: number
}

/** Raise `maxUnpackedBytes` for imports of 100,000 rows and more. */
export const TABLE_LIMITS: TableLimits = {
  maxEntries: 2000,
  maxUnpackedBytes: 50 * 1024 * 1024,
  maxRatio: 100,
  maxRows: 200_000,
  maxColumns: 200,
}

export const RATIO_FLOOR_BYTES = 10 * 1024 * 1024

/** Maximum characters of a cell, as in Excel. */
export const MAX_CELL_CHARACTERS = 32_767
export const TABLE_TOO_LARGE = '表格内容过大，请拆分后重新上传'

/** The file is not a readable table. The message explains the reason to the user. */
export class UnreadableTableError extends Error {
  override readonly name = 'UnreadableTableError'
}

/** Bytes of a table: in memory or in a local file. */
export type TableSource = Uint8Array | { readonly path: string }

/** A row with its spreadsheet number, starting at 1. Missing cells are empty texts. */
export interface TableRow {
  readonly row: number
  readonly cells: readonly string[]
  /** Index and reason of cells whose text may differ from the author's input. */
  readonly problems?: ReadonlyMap<number, string>
  /** True for a row that the spreadsheet hides, for example by a filter. */
  readonly isHidden?: true
}

/** Resource limits of one table besides its own bytes. */
interface ThreadLimits {
  /** Milliseconds that the thread may work on one table. Waiting for the receiver does not count. */
  readonly workMs: number
  readonly heapMb: number
}
const THREAD_LIMITS: ThreadLimits = { workMs: 60_000, heapMb: 512 }

const RETRY_SECONDS = 10
/**
 * Limits the spreadsheet worker threads of this process. Each thread may use one core and the memory of `ThreadLimits`.
 * Each waiting request holds its uploaded table in memory.
 */
export const TABLE_THREAD_SEMAPHORE = new Semaphore({
  maxTaken: 4,
  maxWaiting: 50,
  waitMs: 30_000,
  overloaded: () => new HttpError(503, '正在导入的表格过多，请稍后再试', RETRY_SECONDS),
})

interface ThreadOptions extends Partial<ThreadLimits> {
  /** Signal of a job, which waits for a free thread until the signal aborts. Other callers are refused after a time. */
  readonly signal?: AbortSignal | undefined
}

const TOO_COMPLEX = '表格内容过于复杂，无法读取，请拆分后重新上传'
const TOO_LARGE = '表格内容过大，请拆分后重新上传'

/**
 * Opens an xlsx or csv file in a worker thread, so that no file content can block requests. Waits while too many threads
 * run. Opening and reading rows reject with `UnreadableTableError`, also when the thread exceeds its time or memory limit.
 */
export async function openTableInThread(
  bytes: Uint8Array,
  name: string,
  limits: Partial<TableLimits> = {},
  { signal, ...threadLimits }: ThreadOptions = {},
): Promise<OpenTable> {
  const release = await TABLE_THREAD_SEMAPHORE.acquire(signal)
  const thread = startThread({ bytes, name, limits }, { ...THREAD_LIMITS, ...threadLimits }, release)
  const opened = await thread.receive()
  if (!('header' in opened)) throw new Error('the table thread did not begin with a header')
  return { header: opened.header, rows: rowsOf(thread), close: () => thread.end() }
}

function startThread(task: TableThreadInput, limits: ThreadLimits, onExit: () => void) {
  try {
    return new TableThread(task, limits, onExit)
  } catch (error) {
    onExit()
    throw error
  }
}

async function* rowsOf(thread: TableThread): AsyncGenerator<TableRow> {
  for (;;) {
    const response = await thread.ask('next')
    if (!('rows' in response) || response.rows.length === 0) return
    yield* response.rows
  }
}

class TableThread {
  readonly #worker: Worker
  #leftMs: number
  #waiting: PromiseWithResolvers<TableThreadResponse> | undefined
  #early: TableThreadResponse | Error | undefined

  constructor(task: TableThreadInput, { workMs, heapMb }: ThreadLimits, onExit: () => void) {
    this.#leftMs = workMs
    const file = import.meta.url.endsWith('.ts') ? './table-worker.ts' : './table-worker.mjs'
    this.#worker = new Worker(new URL(file, import.meta.url), {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    })
    this.#worker.on('message', (response: TableThreadResponse) => this.#settle(response))
    this.#worker.on('error', (error) => this.#settle(toTableError(error)))
    this.#worker.on('exit', () => {
      onExit()
      this.#settle(new Error('the table thread ended'))
    })
  }

  ask(order: TableThreadRequest) {
    this.#worker.postMessage(order)
    return this.receive()
  }

  /** Returns the next message. Terminates the thread when the remaining time is exceeded. */
  async receive(): Promise<TableThreadResponse> {
    const started = performance.now()
    const timer = setTimeout(() => this.#settle(new UnreadableTableError(TOO_COMPLEX)), this.#leftMs)
    try {
      const response = await this.#next()
      if ('unreadable' in response) throw new UnreadableTableError(response.unreadable)
      if ('fault' in response) throw new Error(response.fault)
      return response
    } catch (error) {
      this.end()
      throw error
    } finally {
      clearTimeout(timer)
      this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - started))
    }
  }

  end() {
    void this.#worker.terminate()
  }

  #next(): Promise<TableThreadResponse> {
    const early = this.#early
    this.#early = undefined
    if (early instanceof Error) return Promise.reject(early)
    if (early) return Promise.resolve(early)
    this.#waiting = Promise.withResolvers<TableThreadResponse>()
    return this.#waiting.promise
  }

  #settle(response: TableThreadResponse | Error) {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (!waiting) this.#early ??= response
    else if (response instanceof Error) waiting.reject(response)
    else waiting.resolve(response)
  }
}

function toTableError(error: unknown): Error {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
    return new UnreadableTableError(TOO_LARGE, { cause: error })
  return error instanceof Error ? error : new Error(String(error))
}
