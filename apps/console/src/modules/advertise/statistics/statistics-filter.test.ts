import { expect, test } from 'vitest'
import { formatShortShownTime, formatShownTime, labelHour, parseInterval } from './statistics-filter.ts'

const HOUR = 3_600_000

test('AD-14 the played time is shown in units that fit its length', () => {
  const texts = [0, 400, 34_000, 59_600, 5 * 60_000, 384_000, 3.5 * HOUR, 1234.4 * HOUR, 121_602 * HOUR].map(
    formatShownTime,
  )
  expect(texts).toEqual([
    '0 分',
    '0 分',
    '34 秒',
    '1 分',
    '5 分',
    '6 分 24 秒',
    '3 小时 30 分',
    '1,234 小时',
    '121,602 小时',
  ])
  expect([formatShortShownTime(1234.4 * HOUR), formatShortShownTime(121_602 * HOUR)]).toEqual([
    '1,234 小时',
    '12.2 万小时',
  ])
})

test('the trend can be shown by hour for at most seven days and without a filter by screen', () => {
  const week = { startDate: '2026-11-20', endDate: '2026-11-26' }
  const byHour = new URLSearchParams('interval=0')
  expect(parseInterval(byHour, week)).toBe('0')
  expect(parseInterval(byHour, { ...week, advertiser: '春风茶饮' })).toBe('0')
  expect(parseInterval(byHour, { ...week, endDate: '2026-11-27' })).toBe('1')
  for (const filter of [{ sn: 'SCR-1' }, { groupId: '1' }, { tag: 'lobby' }])
    expect(parseInterval(byHour, { ...week, ...filter })).toBe('1')
  expect(parseInterval(new URLSearchParams('interval=2'), week)).toBe('2')
  expect(parseInterval(new URLSearchParams('interval=9'), week)).toBe('1')
  expect(parseInterval(new URLSearchParams(), week)).toBe('1')
})

test('the axis of hours has a label for every hour of one day, and for the dates of several days', () => {
  const labels = (hours: number) => [0, 1, 6, 12, 18].map((hour) => labelHour('2026-11-20', hour, hours))
  expect(labels(24)).toEqual(['00:00', '01:00', '06:00', '12:00', '18:00'])
  expect(labels(48)).toEqual(['11-20', '', '', '12:00', ''])
  expect(labels(168)).toEqual(['11-20', '', '', '', ''])
})
