import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartStore } from '#core/storage/part-store.ts'
import { ResumableUploads } from '#core/storage/resumable.ts'
import { FileMismatch, FileMissing, type FileStore, FileTooLarge } from '#core/storage/store.ts'

export interface OpenStores {
  readonly files: FileStore
  readonly parts: PartStore
  /** Names of the files in the local temporary directories. */
  leftovers(): Promise<readonly string[]>
  close(): Promise<void>
}

const MIB = 1024 * 1024
export const digest = (algorithm: string, bytes: Uint8Array) => createHash(algorithm).update(bytes).digest('hex')
export async function* chunksOf(bytes: Uint8Array, size = 64 * 1024) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
async function all<T>(items: AsyncIterable<T>) {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
const read = async (store: FileStore, sha256: string, range?: { start: number; end: number }) =>
  Buffer.concat(await (await store.openRead(sha256, range)).toArray())

/** Tests that every file store must pass. */
export function fileStoreSuite(name: string, open: () => Promise<OpenStores>) {
  describe(`files in ${name}`, () => {
    let stores: OpenStores
    beforeAll(async () => {
      stores = await open()
    }, 120_000)
    afterAll(() => stores?.close())

    testStoring(() => stores)
    testRefusals(() => stores)
    testResuming(() => stores)
  })
}

function testStoring(stores: () => OpenStores) {
  test.each([0, 1, 4100, 5 * MIB + 1, 20 * MIB + 7])(
    'a file of %i bytes is returned unchanged with its digests',
    async (size) => {
      const { files } = stores()
      const bytes = randomBytes(size)
      const stored = await files.put(chunksOf(bytes), { expect: { size, sha256: digest('sha256', bytes) } })
      expect(stored).toMatchObject({ size, md5: digest('md5', bytes), sha1: digest('sha1', bytes) })
      expect(Buffer.compare(stored.head, bytes.subarray(0, 4100))).toBe(0)
      expect(await files.stat(stored.sha256)).toEqual({ size })
      expect(Buffer.compare(await read(files, stored.sha256), bytes)).toBe(0)
      expect(await stores().leftovers()).toEqual([])
      await files.remove(stored.sha256)
    },
  )

  test('a range includes its first and last byte', async () => {
    const { files } = stores()
    const bytes = randomBytes(9 * MIB)
    const { sha256 } = await files.put(chunksOf(bytes))
    for (const [start, end] of [
      [0, 1],
      [8 * MIB - 1, 8 * MIB],
      [9 * MIB - 1, 9 * MIB - 1],
    ] as const)
      expect(Buffer.compare(await read(files, sha256, { start, end }), bytes.subarray(start, end + 1))).toBe(0)
  })

  test('equal content is stored and listed once, and deleting it twice is no error', async () => {
    const { files } = stores()
    const bytes = randomBytes(100_000)
    const [one, two] = await Promise.all([files.put(chunksOf(bytes)), files.put(chunksOf(bytes, 999))])
    expect(one.sha256).toBe(two.sha256)
    const listed = await all(files.list())
    const mine = listed.filter(({ sha256 }) => sha256 === one.sha256)
    expect(mine).toEqual([{ sha256: one.sha256, size: 100_000, modified: expect.any(Date) }])
    expect(Math.abs(Date.now() - (mine[0]?.modified.getTime() ?? 0))).toBeLessThan(60_000)
    await files.remove(one.sha256)
    await files.remove(one.sha256)
    expect(await files.stat(one.sha256)).toBeNull()
  })

  test('a missing file is reported before the stream starts', async () => {
    await expect(stores().files.openRead('0'.repeat(64))).rejects.toThrow(FileMissing)
    await expect(stores().files.openRead('../../etc/passwd')).rejects.toThrow(FileMissing)
  })

  test('the store reports that it is ready', () => expect(stores().files.check()).resolves.toBeUndefined())
}

function testRefusals(stores: () => OpenStores) {
  const nothingStored = async (bytes: Uint8Array) => {
    expect(await stores().files.stat(digest('sha256', bytes))).toBeNull()
    expect(await stores().leftovers()).toEqual([])
  }

  test('a file with one byte more than allowed is refused and not stored', async () => {
    const bytes = randomBytes(70_001)
    await expect(stores().files.put(chunksOf(bytes), { maxBytes: 70_000 })).rejects.toThrow(FileTooLarge)
    await nothingStored(bytes)
  })

  test('a file whose size or digest differs from the announced value is refused and not stored', async () => {
    const bytes = randomBytes(1000)
    await expect(stores().files.put(chunksOf(bytes), { expect: { size: 1001 } })).rejects.toThrow(FileMismatch)
    const expected = { sha256: digest('sha256', randomBytes(1)) }
    await expect(stores().files.put(chunksOf(bytes), { expect: expected })).rejects.toThrow(FileMismatch)
    await nothingStored(bytes)
  })

  test('no file is stored when its source stream fails', async () => {
    const bytes = randomBytes(100_000)
    async function* broken() {
      yield bytes
      throw new Error('line lost')
    }
    await expect(stores().files.put(broken())).rejects.toThrow('line lost')
    await nothingStored(bytes)
  })

  test('no file is stored when the client aborts the upload', async () => {
    const bytes = randomBytes(100_000)
    const given = new AbortController()
    async function* leaving() {
      yield bytes
      given.abort(new Error('cancelled'))
      yield bytes
    }
    await expect(stores().files.put(leaving(), { signal: given.signal })).rejects.toThrow('cancelled')
    await nothingStored(bytes)
  })
}

function testResuming(stores: () => OpenStores) {
  test('another process can continue a resumable upload, and no parts remain afterwards', async () => {
    const { files, parts } = stores()
    const bytes = randomBytes(300_000)
    const id = `upload-${randomBytes(8).toString('hex')}`
    const first = new ResumableUploads(files, parts)
    await first.create({ id, size: bytes.length, partBytes: 100_000, sha256: digest('sha256', bytes) })
    await first.putPart(id, 2, chunksOf(bytes.subarray(200_000)))
    const second = new ResumableUploads(files, parts)
    expect((await second.state(id)).parts.map(({ index }) => index)).toEqual([2])
    await expect(second.finish(id)).rejects.toMatchObject({ missing: [0, 1] })
    await second.putPart(id, 0, chunksOf(bytes.subarray(0, 100_000)))
    await second.putPart(id, 1, chunksOf(bytes.subarray(100_000, 200_000)))
    expect((await second.finish(id)).sha256).toBe(digest('sha256', bytes))
    await second.discard(id)
    await expect(first.state(id)).rejects.toThrow('No such upload')
    expect(await all(parts.uploads())).toEqual([])
  })

  test('an upload that received no part for a day is deleted', async () => {
    const { files, parts } = stores()
    const uploads = new ResumableUploads(files, parts)
    const id = `upload-${randomBytes(8).toString('hex')}`
    await uploads.create({ id, size: 10, partBytes: 5 })
    expect(await uploads.sweep(Date.now() + 23 * 3_600_000)).toBe(0)
    expect(await uploads.sweep(Date.now() + 25 * 3_600_000)).toBe(1)
    expect(await all(parts.uploads())).toEqual([])
  })
}
