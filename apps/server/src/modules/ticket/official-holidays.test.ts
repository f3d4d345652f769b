import { expect, test } from 'vitest'
import { findMissingYear, findOfficialDay } from './official-holidays.ts'

test('the package `chinese-days` contains the holiday arrangement of 2026', () => {
  const days = ['2026-02-14', '2026-02-15', '2026-02-24', '2026-10-10']
  expect(days.map(findOfficialDay)).toEqual(['workday', 'holiday', undefined, 'workday'])
})

test.each([
  [[], '2026-10-31', undefined],
  [[], '2198-12-01', 2198],
  [['2198-01-01'], '2198-10-31', undefined],
  [['2198-01-01'], '2198-11-01', 2199],
  [['2198-01-01', '2199-01-01'], '2198-12-31', undefined],
])('with the holidays %j in the calendar, the missing year on %s is %s', (holidays, today, year) => {
  expect(findMissingYear({ holidays }, today)).toBe(year)
})
