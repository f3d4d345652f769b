import { createHash } from 'node:crypto'
import type { StoredFile } from './store.ts'
import { Worker } from 'node:worker_threads'

/** Number of leading bytes needed to detect the file type. */
const HEAD_BYTES = 4100

/**
 * Computes the digests of a stream and keeps its first bytes. Small files are hashed here, large files on a worker
 * thread.
 */
export class Digests {
  size = 0
  #head: Uint8Array[] = []
  /** Chunks received before the file became large. */
  #small: Uint8Array[] = []
  #large: ThreadedHashes | undefined

  /** Adds a chunk. Resolves when the next chunk can be accepted. */
  async add(chunk: Uint8Array) {
    if (this.size < HEAD_BYTES) this.#head.push(Uint8Array.prototype.slice.call(chunk, 0, HEAD_BYTES - this.size))
    this.size += chunk.length
    if (this.#large) return this.#large.add(chunk)
    this.#small.push(chunk)
    if (this.size <= HASH_BUFFER_BYTES) return
    this.#large = new ThreadedHashes()
    const before = this.#small
    this.#small = []
    for (const early of before) await this.#large.add(early)
  }

  async end(): Promise<StoredFile> {
    const hashes = this.#large ? await this.#large.end() : this.#hashSmall()
    return { ...hashes, size: this.size, head: Buffer.concat(this.#head) }
  }

  /** Releases the hash state. Call this function instead of `end` when the file failed. */
  abandon() {
    this.#large?.abandon()
  }

  #hashSmall() {
    const [sha256, md5, sha1] = [createHash('sha256'), createHash('md5'), createHash('sha1')]
    for (const chunk of this.#small) for (const hash of [sha256, md5, sha1]) hash.update(chunk)
    return { sha256: sha256.digest('hex'), md5: md5.digest('hex'), sha1: sha1.digest('hex') }
  }
}

interface ContentHashes {
  readonly sha256: string
  readonly md5: string
  readonly sha1: string
}
/** Message to the worker: bytes of a file, or its end. `end: false` discards the file. */
export type HashRequest =
  | { readonly id: number; readonly bytes: ArrayBuffer; readonly length: number }
  | { readonly id: number; readonly end: boolean }
/** Message from the worker: a reusable buffer, or the digests. */
export type HashResponse =
  | ({ readonly id: number } & ContentHashes)
  | { readonly id: number; readonly bytes: ArrayBuffer }

const HASH_BUFFER_BYTES = 1024 * 1024
/** Number of buffers per file: one is filled while the others are hashed. */
const SLABS = 3
const IDLE_MS = 30_000
/** Number of free buffers that are kept for the next files. */
const MAX_SPARE = 24
/**
 * Free buffers. Messages transfer a buffer to the worker and back, so no thread can write to a buffer that the other
 * thread uses, and the worker's garbage collection, which rarely runs, keeps no memory.
 */
const spare: ArrayBuffer[] = []

const takeBuffer = () => spare.pop() ?? new ArrayBuffer(HASH_BUFFER_BYTES)

function keepBuffer(buffer: ArrayBuffer) {
  if (spare.length < MAX_SPARE) spare.push(buffer)
}

interface Owner {
  release(slab: ArrayBuffer): void
  finish(hashes: ContentHashes): void
  fail(error: Error): void
}

/**
 * Hashes large files on a worker thread. Three digests of a large file need most of an upload's CPU time and would
 * block other requests. The idle thread ends after a while.
 */
class HashThread {
  readonly #owners = new Map<number, Owner>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #next = 0

  begin(owner: Owner) {
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    // Keeps the process alive while a command waits for its digests.
    this.#worker.ref()
    const id = ++this.#next
    this.#owners.set(id, owner)
    return id
  }

  send(order: HashRequest) {
    this.#worker?.postMessage(order, 'bytes' in order ? [order.bytes] : [])
    if ('end' in order && !order.end) this.#leave(order.id)
  }

  #start() {
    const file = import.meta.url.endsWith('.ts') ? './hash-worker.ts' : './hash-worker.mjs'
    const worker = new Worker(new URL(file, import.meta.url))
    worker.on('message', (response: HashResponse) => this.#receive(response))
    worker.on('error', (error) => this.#broken(worker, error instanceof Error ? error : new Error(String(error))))
    return worker
  }

  #receive(response: HashResponse) {
    const owner = this.#owners.get(response.id)
    // The file of the buffer may have been abandoned.
    if ('bytes' in response) return owner ? owner.release(response.bytes) : keepBuffer(response.bytes)
    this.#leave(response.id)
    return owner?.finish(response)
  }

  #leave(id: number) {
    this.#owners.delete(id)
    if (this.#owners.size > 0) return
    this.#worker?.unref()
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref()
  }

  #end() {
    void this.#worker?.terminate()
    this.#worker = undefined
    spare.length = 0
  }

  #broken(worker: Worker, error: Error) {
    if (this.#worker === worker) this.#worker = undefined
    for (const owner of this.#owners.values()) owner.fail(error)
    this.#owners.clear()
  }
}

const thread = new HashThread()

/** Computes the digests of one large file in chunks. `add` resolves when the next chunk can be accepted. */
class ThreadedHashes implements Owner {
  readonly #id = thread.begin(this)
  readonly #free: ArrayBuffer[] = []
  #made = 0
  #slab: Uint8Array<ArrayBuffer> | undefined
  #filled = 0
  #waiting: PromiseWithResolvers<void> | undefined
  readonly #done = Promise.withResolvers<ContentHashes>()
  #failure: Error | undefined

  constructor() {
    this.#done.promise.catch(() => {})
  }

  async add(chunk: Uint8Array) {
    for (let at = 0; at < chunk.length; ) {
      this.#slab ??= await this.#room()
      const part = chunk.subarray(at, at + HASH_BUFFER_BYTES - this.#filled)
      this.#slab.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled === HASH_BUFFER_BYTES) this.#flush()
    }
  }

  end(): Promise<ContentHashes> {
    if (this.#filled > 0) this.#flush()
    thread.send({ id: this.#id, end: true })
    return this.#done.promise
  }

  /** Discards the hash state. Otherwise the thread would keep a file that never ends. */
  abandon() {
    thread.send({ id: this.#id, end: false })
    if (this.#slab) keepBuffer(this.#slab.buffer)
    this.#slab = undefined
    this.#keepBuffers()
  }

  release(slab: ArrayBuffer) {
    this.#free.push(slab)
    this.#waiting?.resolve()
    this.#waiting = undefined
  }

  finish(hashes: ContentHashes) {
    this.#keepBuffers()
    this.#done.resolve(hashes)
  }

  fail(error: Error) {
    this.#failure = error
    this.#waiting?.reject(error)
    this.#done.reject(error)
  }

  #keepBuffers() {
    for (const buffer of this.#free.splice(0)) keepBuffer(buffer)
  }

  async #room(): Promise<Uint8Array<ArrayBuffer>> {
    for (;;) {
      if (this.#failure) throw this.#failure
      const slab = this.#free.pop() ?? (this.#made++ < SLABS ? takeBuffer() : undefined)
      if (slab) return new Uint8Array(slab)
      this.#waiting = Promise.withResolvers<void>()
      await this.#waiting.promise
    }
  }

  #flush() {
    if (this.#slab) thread.send({ id: this.#id, bytes: this.#slab.buffer, length: this.#filled })
    this.#slab = undefined
    this.#filled = 0
  }
}
