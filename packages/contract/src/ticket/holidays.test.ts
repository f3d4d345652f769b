import { expect, test } from 'vitest'
import { findMissingYear, listDaysBetween, OFFICIAL_HOLIDAYS } from './holidays.ts'

test('2026 has 33 days off, and every replacement workday is at a weekend', () => {
  const { holidays = [], workdays = [] } = OFFICIAL_HOLIDAYS[2026] ?? {}
  expect(holidays).toHaveLength(33)
  expect(workdays.map((day) => new Date(`${day}T00:00:00Z`).getUTCDay() % 6)).toEqual([0, 0, 0, 0, 0, 0])
  expect(holidays.filter((day) => workdays.includes(day))).toEqual([])
})

test('accepts 29 February only in a leap year', () => {
  expect(listDaysBetween('2028-02-28', '2028-03-01')).toEqual(['2028-02-28', '2028-02-29', '2028-03-01'])
})

test.each([
  [['2026-01-01'], '2026-10-31', undefined],
  [['2026-01-01'], '2026-11-01', 2027],
  [['2026-01-01', '2027-01-01'], '2026-12-31', undefined],
  [['2026-01-01'], '2027-01-01', 2027],
  [[], '2026-03-01', 2026],
])('with %j on %s the year without holidays is %s', (holidays, today, year) => {
  expect(findMissingYear({ holidays }, today)).toBe(year)
})
