import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { Digests } from './hash-pool.ts'

const MIB = 1024 * 1024
const hex = (name: string, bytes: Uint8Array) => createHash(name).update(bytes).digest('hex')

/** Hashes the bytes in chunks of the given size. */
async function digestsOf(bytes: Uint8Array, piece: number) {
  const digests = new Digests()
  for (let at = 0; at < bytes.length; at += piece) await digests.add(bytes.subarray(at, at + piece))
  return digests.end()
}

describe('digests', () => {
  test.each([
    ['nothing', 0, 7],
    ['a small file', 5000, 7],
    ['exactly the border', MIB, 65_536],
    ['one byte over it', MIB + 1, 65_536],
    ['many slabs in odd pieces', 9 * MIB + 13, 100_003],
    ['one piece larger than all slabs', 7 * MIB, 7 * MIB],
  ])('size, digests and first bytes are computed for %s', async (_name, size, piece) => {
    const bytes = randomBytes(size)
    expect(await digestsOf(bytes, piece)).toMatchObject({
      size,
      sha256: hex('sha256', bytes),
      md5: hex('md5', bytes),
      sha1: hex('sha1', bytes),
      head: bytes.subarray(0, 4100),
    })
  })

  test('files that are hashed concurrently get separate digests, also when another file is abandoned', async () => {
    const given = new Digests()
    await given.add(randomBytes(3 * MIB))
    const files = Array.from({ length: 5 }, () => randomBytes(3 * MIB + 1))
    const hashing = files.map((bytes) => digestsOf(bytes, 300_000))
    given.abandon()
    expect((await Promise.all(hashing)).map(({ md5 }) => md5)).toEqual(files.map((bytes) => hex('md5', bytes)))
  })

  test('hashing several files in sequence reuses the buffers of earlier files', async () => {
    const made = await buffersMade(async () => {
      for (let file = 0; file < 20; file += 1) {
        const bytes = randomBytes(3 * MIB + 1)
        expect(await digestsOf(bytes, 300_000)).toMatchObject({ sha256: hex('sha256', bytes) })
      }
    })
    expect(made).toBeLessThanOrEqual(3)
  })

  test('buffers of abandoned files are reused after the thread has hashed them', async () => {
    const made = await buffersMade(async () => {
      for (let file = 0; file < 20; file += 1) {
        const abandoned = new Digests()
        await abandoned.add(randomBytes(2 * MIB + 1))
        abandoned.abandon()
        const bytes = randomBytes(3 * MIB + 1)
        expect(await digestsOf(bytes, 300_000)).toMatchObject({ sha256: hex('sha256', bytes) })
      }
    })
    expect(made).toBeLessThanOrEqual(6)
  })
})

/** Counts the buffers of the hash thread that are allocated meanwhile. */
async function buffersMade(run: () => Promise<void>) {
  let made = 0
  class CountedBuffer extends ArrayBuffer {
    constructor(size: number) {
      super(size)
      if (size === MIB) made += 1
    }
  }
  vi.stubGlobal('ArrayBuffer', CountedBuffer)
  await run().finally(() => vi.unstubAllGlobals())
  return made
}
