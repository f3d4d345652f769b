import { expect, test } from 'vitest'
import { formatShortShownTime, formatShownTime } from './statistics-filter.ts'

const HOUR = 3_600_000

test('AD-14 the played time is shown in units that fit its length', () => {
  const texts = [0, 20_000, 5 * 60_000, 3.5 * HOUR, 1234.4 * HOUR, 121_602 * HOUR].map(formatShownTime)
  expect(texts).toEqual(['0 分', '20 秒', '5 分', '3 小时 30 分', '1,234 小时', '121,602 小时'])
  expect([formatShortShownTime(1234.4 * HOUR), formatShortShownTime(121_602 * HOUR)]).toEqual([
    '1,234 小时',
    '12.2 万小时',
  ])
})
