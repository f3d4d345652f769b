import { roundToTwoDigits } from '@oms/contract/core/percent.ts'
import { afterEach, expect, test } from 'vitest'
import {
  formatDayBeforeToday,
  formatBytes,
  formatDate,
  formatDateTime,
  formatDuration,
  formatPercent,
  formatRate,
  formatPercentage,
  setTimeZone,
  formatWallClock,
  buildLastWeekRange,
} from './format.ts'

test.each([
  [1_700_000_000, new Date(1_700_000_000_000)],
  ['1700000000', new Date(1_700_000_000_000)],
  [1_700_000_000_123, new Date(1_700_000_000_123)],
])('FORMAT-01 the timestamp %s is shown as local time; ten digits are seconds', (value, date) => {
  expect(formatDateTime(value)).toBe(formatDateTime(date))
  expect(formatDateTime(value)).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
})

test('FORMAT-01 a time text without zone is shown unchanged; an empty or invalid value is shown as a dash', () => {
  expect(formatDateTime('2026-02-03 04:05:06')).toBe('2026-02-03 04:05:06')
  expect(formatDateTime('2026-02-03')).toBe('2026-02-03 00:00:00')
  for (const value of [null, undefined, '', 'soon']) expect(formatDateTime(value)).toBe('-')
})

afterEach(() => setTimeZone('Asia/Shanghai'))

test('FORMAT-01 times and days use the configured zone, not the zone of the browser', () => {
  const at = new Date('2026-02-28T16:30:00Z')
  expect([formatWallClock(at), formatDayBeforeToday(0, at), formatDayBeforeToday(1, at)]).toEqual([
    '2026-03-01 00:30:00',
    '2026-03-01',
    '2026-02-28',
  ])
  setTimeZone('America/New_York')
  expect([formatDateTime(at), formatDate(at), formatDayBeforeToday(1, at)]).toEqual([
    '2026-02-28 11:30:00',
    '2026-02-28',
    '2026-02-27',
  ])
  expect(formatDateTime('2026-02-03T04:05')).toBe('2026-02-03 04:05:00')
  setTimeZone('')
  expect(formatDate(at)).toBe('2026-02-28')
})

test.each([
  [0.12345, '12.35%'],
  [0.5, '50%'],
  [1, '100%'],
  [0.010049, '1%'],
  [null, '-'],
  [Number.NaN, '-'],
])('FORMAT-02 the share %s is shown as %s', (share, shown) => expect(formatPercent(share)).toBe(shown))

test.each([
  [0.12345, '12.35%'],
  [0.125, '12.50%'],
  [1, '100.00%'],
  [-0.5, '-50.00%'],
  [null, '-'],
  [Number.NaN, '-'],
])('the rate %s is shown with two decimals as %s', (share, shown) => expect(formatRate(share)).toBe(shown))

test.each([
  [50, '50.00%'],
  [98.5, '98.50%'],
  [0.07, '0.07%'],
  [null, '-'],
])('the rate of %s percent is shown with two decimals as %s', (percent, shown) =>
  expect(formatPercentage(percent)).toBe(shown),
)

test.each([
  [1.005, 1.01],
  [-1.005, -1],
  [0, 0],
  [4e-7, 0],
])('FORMAT-02 %s rounds to %s', (value, rounded) => expect(roundToTwoDigits(value)).toBe(rounded))

test('FORMAT-02 the weekly range has seven days and ends today, also across months', () => {
  expect(buildLastWeekRange(new Date('2026-03-02T16:00:00Z'))).toEqual(['2026-02-25', '2026-03-03'])
})

test('formats sizes and durations for display', () => {
  expect([0, 1023, 1536, 300 * 2 ** 20].map(formatBytes)).toEqual(['0 B', '1023 B', '1.5 KB', '300 MB'])
  expect([0, 59, 3600, 93_600].map(formatDuration)).toEqual(['0 秒', '59 秒', '1 小时', '1 天 2 小时'])
})
