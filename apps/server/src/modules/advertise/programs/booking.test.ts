import { expect, test } from 'vitest'
import { addDays, isoWeekday } from '#core/time/zone.ts'
import { countDueDays } from './booking.ts'

function countSlowly(from: string, to: string, weekdays: number) {
  let days = 0
  for (let day = from; day <= to; day = addDays(day)) if (weekdays & (1 << (isoWeekday(day) - 1))) days += 1
  return days
}

test('AD-12 the number of scheduled days of a booking equals a day-by-day count', () => {
  for (let length = 0; length < 16; length += 1)
    for (const weekdays of [1, 31, 64, 85, 127]) {
      const to = addDays('2026-11-20', length)
      expect(countDueDays('2026-11-20', to, weekdays)).toBe(countSlowly('2026-11-20', to, weekdays))
    }
  expect(countDueDays('2026-11-20', '2026-11-19', 127)).toBe(0)
  expect(countDueDays('2026-11-20', '2026-11-30', 1)).toBe(2)
})

test('AD-12 scheduled days are counted up to 9999-12-31, although the following day has a five-digit year', () => {
  expect(countDueDays('9999-12-31', '9999-12-31', 127)).toBe(1)
  expect(countDueDays('2026-01-01', '9999-12-31', 127)).toBe(2_912_443)
  expect(addDays('9999-12-31')).toBe('10000-01-01')
  expect(addDays('10000-01-01', -1)).toBe('9999-12-31')
})
