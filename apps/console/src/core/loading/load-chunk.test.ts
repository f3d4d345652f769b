import { expect, test, vi } from 'vitest'
import { CHUNK_TIMEOUT_MS, loadChunk } from './load-chunk.ts'

test('ERR-05 the loader retries a chunk that fails to load, then reports the error', async () => {
  let calls = 0
  const flaky = async () => {
    calls += 1
    if (calls < 3) throw new Error('line')
    return 'code'
  }
  await expect(loadChunk(flaky, [1, 1, 1])).resolves.toBe('code')
  await expect(loadChunk(() => Promise.reject(new Error('gone')), [1, 1])).rejects.toThrow('failed')
})

test('ERR-05 the loader reports a timeout for a chunk that does not load within 120 s', async () => {
  vi.useFakeTimers()
  const waiting = loadChunk(() => new Promise<never>(() => {}))
  const [outcome] = await Promise.all([waiting.catch(String), vi.advanceTimersByTimeAsync(CHUNK_TIMEOUT_MS)])
  expect(outcome).toContain('timeout')
  vi.useRealTimers()
})

test("ERR-05 the loader retries the file named in the browser's error with a different URL", async () => {
  const asked: string[] = []
  // Data URL with JavaScript: the query appended by the retry becomes a comment.
  const file = `data:text/javascript,export%20default%20'came'//`
  const load = async () => {
    asked.push('first')
    throw new TypeError(`Failed to fetch dynamically imported module: ${file}`)
  }
  expect((await loadChunk<{ default: string }>(load, [1, 1])).default).toBe('came')
  expect(asked).toEqual(['first'])
})

test('ERR-05 a retry of a chunk with several exports returns only the requested export', async () => {
  const file = `data:text/javascript,export%20const%20t={default:'came'}//shared.js`
  const load = async (): Promise<{ default: string }> => {
    throw new TypeError(`Failed to fetch dynamically imported module: ${file}`)
  }
  load.toString = () => '()=>p(()=>import(`./shared.js`).then(e=>e.t).then(e=>(here=!0,e)),deps)'
  expect((await loadChunk(load, [1, 1])).default).toBe('came')
})
