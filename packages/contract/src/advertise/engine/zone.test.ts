import { describe, expect, test } from 'vitest'
import { formatDate, parseDay, computeWeekdayBit } from './dates.ts'
import { loadZone } from './zone.ts'

const iso = (instant: number) => new Date(instant).toISOString().slice(0, 16)
const bounds = (name: string, date: string, minute: number) => [
  iso(loadZone(name).startOf(parseDay(date), minute)),
  iso(loadZone(name).endOf(parseDay(date), minute)),
]

describe('AD-01 conversion of local time to instants', () => {
  test.each([
    ['Asia/Shanghai', '2026-11-22', 390, '2026-11-21T22:30', '2026-11-21T22:30', 'usual'],
    ['America/New_York', '2025-03-09', 150, '2025-03-09T07:00', '2025-03-09T07:00', 'does not exist'],
    ['America/New_York', '2025-11-02', 90, '2025-11-02T05:30', '2025-11-02T06:30', 'ambiguous'],
    ['Europe/Berlin', '2026-03-29', 150, '2026-03-29T01:00', '2026-03-29T01:00', 'does not exist'],
    ['Australia/Lord_Howe', '2025-10-05', 135, '2025-10-04T15:30', '2025-10-04T15:30', 'half an hour does not exist'],
    ['Australia/Lord_Howe', '2025-04-06', 105, '2025-04-05T14:45', '2025-04-05T15:15', 'half an hour is ambiguous'],
    ['America/Havana', '2025-03-09', 0, '2025-03-09T05:00', '2025-03-09T05:00', 'midnight does not exist'],
    ['America/Havana', '2025-11-02', 0, '2025-11-02T04:00', '2025-11-02T05:00', 'midnight is ambiguous'],
    ['Pacific/Apia', '2011-12-30', 720, '2011-12-30T10:00', '2011-12-30T10:00', 'the date does not exist'],
  ])(
    'in %s on %s, minute %i of the day begins at %s and ends at %s (local time: %s)',
    (name, date, minute, start, end) => {
      expect(bounds(name, date, minute)).toEqual([start, end])
    },
  )

  test('an instant belongs to the last local day that has begun', () => {
    const day = (name: string, text: string) => formatDate(loadZone(name).dayAt(Date.parse(text)))
    expect(day('Asia/Shanghai', '2026-11-21T15:59:59Z')).toBe('2026-11-21')
    expect(day('Asia/Shanghai', '2026-11-21T16:00:00Z')).toBe('2026-11-22')
    expect(day('Pacific/Apia', '2011-12-30T09:59:59Z')).toBe('2011-12-29')
    expect(day('Pacific/Apia', '2011-12-30T10:00:00Z')).toBe('2011-12-31')
    // 23:01 to 23:59 come again after the first minute of 7 November.
    expect(day('America/St_Johns', '2010-11-07T02:30:00Z')).toBe('2010-11-07')
    expect(day('America/St_Johns', '2010-11-07T03:00:00Z')).toBe('2010-11-07')
  })

  test('the weekday of a date is a bit, from Monday to Sunday', () => {
    const dates = ['2026-11-23', '2026-11-24', '2026-11-28', '2026-11-29', '1969-12-31', '1965-02-01']
    expect(dates.map((date) => computeWeekdayBit(parseDay(date)))).toEqual([1, 2, 32, 64, 4, 1])
    expect(() => loadZone('Nowhere/Here')).toThrow(RangeError)
  })
})
