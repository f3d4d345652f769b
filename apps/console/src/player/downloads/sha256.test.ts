import { createHash } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { computeSha256 } from './sha256.ts'

afterEach(() => vi.unstubAllGlobals())

test('AD-07 the player computes SHA-256 without crypto.subtle, which browsers do not offer over plain HTTP', async () => {
  const samples = [0, 1, 55, 56, 63, 64, 65, 1000, 300_001].map((size) =>
    Uint8Array.from({ length: size }, (_, i) => (i * 31) % 251),
  )
  const expected = samples.map((bytes) => createHash('sha256').update(bytes).digest('hex'))
  expect(await Promise.all(samples.map(({ buffer }) => computeSha256(buffer)))).toEqual(expected)
  vi.stubGlobal('crypto', {})
  expect(await Promise.all(samples.map(({ buffer }) => computeSha256(buffer)))).toEqual(expected)
})
