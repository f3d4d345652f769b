// oxlint-disable vitest/no-conditional-expect -- where a line is cut is drawn at random
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { chunksOf, digest } from '#test/file-store-suite.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LocalPartStore } from './local/local-parts.ts'
import { LocalStore } from './local/local-store.ts'
import { PartConflict, countParts, computePartSize, ResumableUploads, UnknownUploadError } from './resumable.ts'
import { FileMismatch, FileTooLarge } from './store.ts'

let root: string
let files: LocalStore
let uploads: ResumableUploads
const newId = () => randomBytes(12).toString('hex')
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'oms-resume-'))
  files = new LocalStore(join(root, 'files'), 0)
  uploads = new ResumableUploads(files, new LocalPartStore(join(root, 'parts'), 0))
})
afterAll(() => rm(root, { recursive: true, force: true }))

async function* cutAt(bytes: Uint8Array, at: number) {
  yield* chunksOf(bytes.subarray(0, at), 37)
  throw new Error('line lost')
}

test('an upload that is interrupted and resumed at random bytes stores the source file, or nothing', async () => {
  const sizes = { size: fc.integer({ min: 1, max: 900 }), partBytes: fc.integer({ min: 50, max: 400 }) }
  const cuts = fc.array(fc.nat(899), { maxLength: 6 })
  const run = async ({ size, partBytes, cuts }: { size: number; partBytes: number; cuts: number[] }) => {
    const bytes = randomBytes(size)
    const sha256 = digest('sha256', bytes)
    const id = newId()
    await uploads.create({ id, size, partBytes, sha256 })
    /** One connection of the client: continues after the received bytes until the connection breaks at `cut`. */
    const session = async (cut: number) => {
      const there = new Set((await uploads.state(id)).parts.map(({ index }) => index))
      for (let index = 0; index < countParts({ size, partBytes }); index++) {
        if (there.has(index)) continue
        const start = index * partBytes
        const part = bytes.subarray(start, start + partBytes)
        if (cut < start + part.length) {
          await expect(uploads.putPart(id, index, cutAt(part, Math.max(0, cut - start)))).rejects.toThrow('line lost')
          await expect(uploads.finish(id)).rejects.toThrow('missing')
          expect(await files.stat(sha256)).toBeNull()
          return
        }
        await uploads.putPart(id, index, chunksOf(part, 37), { sha256: digest('sha256', part) })
      }
    }
    for (const cut of cuts) await session(cut)
    await session(Number.POSITIVE_INFINITY)
    expect(await uploads.finish(id)).toMatchObject({ size, sha256 })
    expect(Buffer.concat(await (await files.openRead(sha256)).toArray()).equals(bytes)).toBe(true)
    await uploads.discard(id)
    expect(await readdir(join(root, 'parts'))).toEqual([])
    expect(await readdir(join(root, 'files', 'tmp'))).toEqual([])
    await files.remove(sha256)
  }
  await fc.assert(fc.asyncProperty(fc.record({ ...sizes, cuts }), run), { numRuns: 20 })
}, 60_000)

describe('parts of an upload', () => {
  const begun = async (bytes: Uint8Array, sha256?: string) => {
    const id = newId()
    await uploads.create({ id, size: bytes.length, partBytes: 100, ...(sha256 ? { sha256 } : {}) })
    return id
  }

  test('a part that is too long, too short or altered is refused', async () => {
    const bytes = randomBytes(150)
    const id = await begun(bytes)
    await expect(uploads.putPart(id, 0, chunksOf(bytes))).rejects.toThrow(FileTooLarge)
    await expect(uploads.putPart(id, 0, chunksOf(bytes.subarray(1, 100)))).rejects.toThrow(FileMismatch)
    const sha256 = digest('sha256', randomBytes(1))
    await expect(uploads.putPart(id, 0, chunksOf(bytes.subarray(0, 100)), { sha256 })).rejects.toThrow(FileMismatch)
    expect((await uploads.state(id)).parts).toEqual([])
  })

  test('a part outside the file, of an unknown upload or with a hostile id is refused', async () => {
    const bytes = randomBytes(150)
    const id = await begun(bytes)
    for (const index of [-1, 2, 1.5, Number.NaN])
      await expect(uploads.putPart(id, index, chunksOf(bytes))).rejects.toThrow(PartConflict)
    await expect(uploads.putPart(newId(), 0, chunksOf(bytes))).rejects.toThrow(UnknownUploadError)
    await expect(uploads.putPart('../../../etc', 0, chunksOf(bytes))).rejects.toThrow(TypeError)
  })

  test('other content for the index of a stored part is refused, and the same content is accepted again', async () => {
    const bytes = randomBytes(150)
    const id = await begun(bytes)
    const part = bytes.subarray(0, 100)
    const first = await uploads.putPart(id, 0, chunksOf(part))
    expect(await uploads.putPart(id, 0, chunksOf(part))).toEqual(first)
    const other = randomBytes(100)
    const sha256 = digest('sha256', other)
    await expect(uploads.putPart(id, 0, chunksOf(other), { sha256 })).rejects.toThrow(PartConflict)
    await expect(uploads.putPart(id, 0, chunksOf(other))).rejects.toThrow(FileMismatch)
    expect((await uploads.state(id)).parts).toEqual([first])
  })

  test('an upload whose digest differs from the announced digest is not stored', async () => {
    const bytes = randomBytes(100)
    const id = await begun(bytes, digest('sha256', randomBytes(1)))
    await uploads.putPart(id, 0, chunksOf(bytes))
    await expect(uploads.finish(id)).rejects.toThrow(FileMismatch)
    expect(await files.stat(digest('sha256', bytes))).toBeNull()
  })
})

test('only the last part of an upload may be shorter than the others', () => {
  const plan = { size: 250, partBytes: 100 }
  expect([0, 1, 2, 3].map((index) => computePartSize(plan, index))).toEqual([100, 100, 50, undefined])
})
