import { Worker } from 'node:worker_threads'
import { HttpError } from '#core/http/api-error.ts'
import { Semaphore } from '#core/process/semaphore.ts'
import type { TableThreadResponse, TableThreadRequest, TableThreadInput } from './table-messages.ts'
import { type TableLimits, type TableRow, UnreadableTableError } from './table-limits.ts'
import type { OpenTable } from './table-reader.ts'

/** Resource limits of one table besides its own bytes. */
export interface ThreadLimits {
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
