import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StatusSender } from './status.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('AD-08 the first content of a changed manifest is reported, and later content only every ten minutes', async () => {
  let adId = 1
  let appliedEtag = 'a'
  const sent: { adId: number; appliedEtag: string }[] = []
  const api = {
    call: (_: string, { json }: { json: { appliedEtag: string; nowPlaying: { adId: number } } }) => {
      sent.push({ adId: json.nowPlaying.adId, appliedEtag: json.appliedEtag })
      return Promise.resolve({ status: 200 })
    },
  }
  const read = () => Promise.resolve({ appliedEtag, nowPlaying: { adId } })
  const status = new StatusSender(api as never, { sn: 'S', token: '' } as never, read as never)
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
  status.onChange()
  await pass(2000)
  expect(sent).toEqual([{ adId: 1, appliedEtag: 'a' }])
  appliedEtag = 'b'
  status.onChange()
  await pass(20_000)
  adId = 2
  status.onNewContent()
  await pass(20_000)
  expect(sent.slice(1)).toEqual([
    { adId: 1, appliedEtag: 'b' },
    { adId: 2, appliedEtag: 'b' },
  ])
  adId = 3
  status.onChange()
  await pass(60_000)
  expect(sent).toHaveLength(3)
  await pass(600_000)
  expect(sent.at(-1)).toEqual({ adId: 3, appliedEtag: 'b' })
})
