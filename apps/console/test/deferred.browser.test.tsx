import { afterEach, expect, test, vi } from 'vitest'
import { runWhenIdle } from '#core/loading/deferred.tsx'

afterEach(() => vi.unstubAllGlobals())

/** A browser that is never idle: it runs a callback only at the end of the callback's timeout. */
const neverIdle = (run: IdleRequestCallback, options?: IdleRequestOptions) =>
  options?.timeout === undefined ? 0 : Number(setTimeout(run, options.timeout))

test('deferred code loads within seconds although the page is never idle', async () => {
  document.documentElement.dataset['started'] = ''
  vi.stubGlobal('requestIdleCallback', neverIdle)
  const run = vi.fn<() => void>()
  runWhenIdle(run, 0)
  await expect.poll(() => run.mock.calls.length, { timeout: 10_000 }).toBe(1)
})

test('a cancelled task does not run when the browser becomes idle', async () => {
  document.documentElement.dataset['started'] = ''
  const callbacks = new Map<number, IdleRequestCallback>()
  vi.stubGlobal('requestIdleCallback', (run: IdleRequestCallback) => callbacks.set(7, run) && 7)
  vi.stubGlobal('cancelIdleCallback', (id: number) => callbacks.delete(id))
  const run = vi.fn<() => void>()
  const cancel = runWhenIdle(run, 0)
  await expect.poll(() => callbacks.size).toBe(1)
  cancel()
  expect(callbacks.size).toBe(0)
})
