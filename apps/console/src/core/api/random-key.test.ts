import { expect, test, vi } from 'vitest'
import { createRandomKey } from './random-key.ts'

test('random keys are different, also without the APIs that require HTTPS', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
  const keys = new Set(Array.from({ length: 100 }, createRandomKey))
  vi.unstubAllGlobals()
  expect(keys.size).toBe(100)
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/)
})
