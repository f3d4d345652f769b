import { type ManifestFile, MEDIA_CHUNK } from '@oms/contract/advertise/engine/manifest.ts'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Api } from '../api.ts'
import { Downloads } from './downloads.ts'
import type { MediaStore } from './media-store.ts'

beforeEach(() => void vi.useFakeTimers())

const fileOf = (sha256: string, chunks: number): ManifestFile => ({
  materialId: 1,
  sha256,
  size: chunks * MEDIA_CHUNK,
  mime: 'video/mp4',
  width: 1920,
  height: 1080,
  codec: '',
  chunks: Array.from({ length: chunks }, (_, at) => `${sha256}${at}`),
})

/** A store with room for a number of chunks. */
function storeOf(capacity: number) {
  const chunks = new Map<string, number>()
  const used = () => [...chunks.values()].reduce((sum, count) => sum + count, 0)
  const store = {
    isReady: ({ sha256, chunks: all }: ManifestFile) => (chunks.get(sha256) ?? 0) >= all.length,
    firstMissing: ({ sha256 }: ManifestFile) => chunks.get(sha256) ?? 0,
    put: async ({ sha256 }: ManifestFile) => {
      if (used() >= capacity) throw new Error('QuotaExceededError')
      chunks.set(sha256, (chunks.get(sha256) ?? 0) + 1)
      return true
    },
    remove: async (sha256: string) => void chunks.delete(sha256),
  }
  return { chunks, store: store as unknown as MediaStore, free: () => (capacity - used()) * MEDIA_CHUNK }
}

/** Downloads of these files into a store with room for `capacity` chunks. */
function downloadsOf(capacity: number, files: ManifestFile[], onNoRoom = () => {}) {
  const { chunks, store, free } = storeOf(capacity)
  const asked: string[] = []
  const wanted = { files }
  const api = {
    call: async (path: string) => {
      asked.push(path.split('/').at(-1)!)
      return { status: 206, headers: new Headers(), body: new ArrayBuffer(8) }
    },
  }
  const downloads = new Downloads(api as unknown as Api, { sn: 'S', token: 't' }, store, {
    wanted: () => wanted.files,
    isAllowed: () => true,
    kbps: () => 0,
    hasFreeSpace: async (size) => free() >= size,
    makeRoom: async () => false,
    onNoRoom,
    onChange: () => undefined,
  })
  const run = async () => {
    downloads.kick()
    await vi.advanceTimersByTimeAsync(0)
  }
  return { downloads, chunks, asked, wanted, run }
}

test('AD-07 a file that exceeds the storage quota does not block the download of files that fit', async () => {
  const [large, small] = [fileOf('large', 4), fileOf('small', 2)]
  const { downloads, chunks, run } = downloadsOf(3, [large, small])
  await run()
  expect([...chunks]).toEqual([['small', 2]])
  expect(downloads.failed()).toEqual([{ sha256: 'large', reason: 'quota' }])
  expect([downloads.hasFailed(large), downloads.hasFailed(small), downloads.isFull]).toEqual([true, false, true])
})

test('AD-07 a file that does not fit is requested again only after other files were deleted', async () => {
  const large = fileOf('large', 3)
  const { downloads, chunks, asked, run } = downloadsOf(4, [large])
  chunks.set('old', 2)
  await run()
  expect(downloads.isFull).toBe(true)
  const before = asked.length
  downloads.retryQuotaFailures()
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toHaveLength(before)
  expect(downloads.hasFailed(large)).toBe(true)
  chunks.delete('old')
  downloads.retryQuotaFailures()
  await vi.advanceTimersByTimeAsync(0)
  expect([...chunks]).toEqual([['large', 3]])
  expect([downloads.isFull, downloads.failed()]).toEqual([false, []])
})

test('AD-07 a failed file that no manifest contains any more is not reported', async () => {
  const large = fileOf('large', 3)
  const { downloads, wanted, run } = downloadsOf(1, [large])
  await run()
  expect(downloads.failed()).toHaveLength(1)
  wanted.files = []
  expect([downloads.failed(), downloads.isFull]).toEqual([[], false])
})

test('AD-07 a file without room gives way to a smaller rendition for an hour', async () => {
  const [large, small] = [fileOf('large', 4), fileOf('small', 2)]
  const { downloads, wanted, chunks, run } = downloadsOf(3, [large], () => {
    wanted.files = downloads.hasNoRoom(large) ? [small] : [large]
  })
  await run()
  expect([...chunks]).toEqual([['small', 2]])
  expect([downloads.hasNoRoom(large), downloads.failed(), downloads.isFull]).toEqual([true, [], false])
  await vi.advanceTimersByTimeAsync(61 * 60_000)
  expect(downloads.hasNoRoom(large)).toBe(false)
})
