import { expect, test, vi } from 'vitest'
import { CHUNK_TIMEOUT_MS, loadChunk } from './load-chunk.ts'

test('ERR-05 a chunk that fails is asked for again, then reported', async () => {
  let calls = 0
  const flaky = async () => {
    calls += 1
    if (calls < 3) throw new Error('line')
    return 'code'
  }
  await expect(loadChunk(flaky, [1, 1, 1])).resolves.toBe('code')
  await expect(loadChunk(() => Promise.reject(new Error('gone')), [1, 1])).rejects.toThrow('failed')
})

test('ERR-05 a chunk that never comes is reported within 120 s', async () => {
  vi.useFakeTimers()
  const waiting = loadChunk(() => new Promise<never>(() => {}))
  const [outcome] = await Promise.all([waiting.catch(String), vi.advanceTimersByTimeAsync(CHUNK_TIMEOUT_MS)])
  expect(outcome).toContain('timeout')
  vi.useRealTimers()
})
