import { expect, test } from 'vitest'
import { RecentPlays } from './play-writer.ts'

test('AD-10 RecentPlays remembers at least the last 25,000 plays, and at most 50,000', () => {
  const plays = new RecentPlays()
  for (let n = 0; n < 60_000; n += 1) plays.add(String(n))
  const known = Array.from({ length: 60_000 }, (_, n) => plays.has(String(n)))
  expect(known.slice(-25_000).every(Boolean)).toBe(true)
  expect(known.filter(Boolean).length).toBeLessThanOrEqual(50_000)
  expect(plays.has('0')).toBe(false)
})
