import { expect, test } from 'vitest'
import { formatDays, formatHolidays, groupDaysByMonth } from './holiday-text.ts'

const YEAR = {
  holidays: ['2026-12-31', '2027-01-01', '2027-01-02', '2027-01-31', '2027-02-01'],
  workdays: ['2027-01-04'],
}

test.each([
  [['2027-01-01', '2027-01-02', '2027-01-03', '2027-02-14'], '1月1日至3日、2月14日'],
  [['2027-01-31', '2027-02-01'], '1月31日至2月1日'],
  [['2026-12-31', '2027-01-01'], '2026年12月31日至2027年1月1日'],
  [['2028-01-01'], '2028年1月1日'],
  [[], ''],
])('the days %j are %s', (days, text) => {
  expect(formatDays(days, 2027)).toBe(text)
})

test('holidays and working days have their numbers', () => {
  expect(formatHolidays(YEAR, 2027)).toBe(
    '放假 2026年12月31日至2027年1月2日、1月31日至2月1日（5 天），上班 1月4日（1 天）',
  )
  expect(formatHolidays({ holidays: [], workdays: ['2027-01-04'] }, 2027)).toBe('上班 1月4日（1 天）')
})

test('all days of a year are grouped by month', () => {
  expect(groupDaysByMonth(YEAR, '2027').map(({ text }) => text)).toEqual([
    '1月：放假 1日至2日、31日，上班 4日',
    '2月：放假 1日',
  ])
})
