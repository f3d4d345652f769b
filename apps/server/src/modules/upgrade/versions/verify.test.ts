import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { FileMissing } from '#core/storage/store.ts'
import { isIntact } from './scrub.ts'

const MIB = 1024 * 1024
const chunk = randomBytes(MIB)

/** Returns a store that holds one file of so many equal chunks. */
const storeOf = (chunks: number) => ({
  openRead: () => Promise.resolve(Readable.from(Array.from({ length: chunks }, () => chunk))),
})

function recordedOf(chunks: number) {
  const digest = (name: string) => {
    const hash = createHash(name)
    for (let index = 0; index < chunks; index++) hash.update(chunk)
    return hash.digest('hex')
  }
  return { sha256: digest('sha256'), sha1: digest('sha1'), md5: digest('md5'), size: chunks * MIB }
}

/** Returns the CPU time of this thread in milliseconds. */
async function costOf(work: () => unknown) {
  const started = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(started)
  return (user + system) / 1000
}

describe('verification of stored files', () => {
  test('a large file is hashed in another thread', async () => {
    const chunks = 96
    let recorded = recordedOf(1)
    const hashing = await costOf(() => (recorded = recordedOf(chunks)))
    let isValid = false
    const verifying = await costOf(async () => (isValid = await isIntact(storeOf(chunks), recorded)))
    expect(isValid).toBe(true)
    expect(verifying).toBeLessThan(hashing / 2)
  })

  test.each([1, 5])('the verification detects each kind of difference in a file of %i MiB', async (chunks) => {
    const recorded = recordedOf(chunks)
    expect(await isIntact(storeOf(chunks), recorded)).toBe(true)
    expect(await isIntact(storeOf(chunks + 1), recorded)).toBe(false)
    for (const name of ['sha256', 'sha1', 'md5'] as const)
      expect(await isIntact(storeOf(chunks), { ...recorded, [name]: 'other' }), name).toBe(false)
    expect(await isIntact(storeOf(chunks), { ...recorded, size: recorded.size + 1 })).toBe(false)
  })

  test('a missing file counts as damaged, and other read errors are thrown', async () => {
    const failing = (error: Error) => ({ openRead: () => Promise.reject(error) })
    expect(await isIntact(failing(new FileMissing('x')), recordedOf(1))).toBe(false)
    await expect(isIntact(failing(new Error('store away')), recordedOf(1))).rejects.toThrow('store away')
    const abort = () => {
      throw new Error('aborted')
    }
    await expect(isIntact(storeOf(5), recordedOf(5), abort)).rejects.toThrow('aborted')
  })
})
