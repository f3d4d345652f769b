import { STANDARD_SLA } from '@oms/contract/ticket/ticket-desk.ts'
import { describe, expect, test } from 'vitest'
import {
  addWorkingMinutes,
  isWorkday,
  countWorkingMinutes,
  findMissingYear,
  findOfficialDay,
} from './business-clock.ts'
import { computeSla } from './sla.ts'
import { parseLocalTime, formatLocalTime } from '#core/time/zone.ts'

const ZONE = 'Asia/Shanghai'
// 2030-03-04 is a Monday.
const calendar = { ...STANDARD_SLA.calendar, holidays: ['2030-03-06'], workdays: ['2030-03-09'] }
const at = (wall: string) => new Date(parseLocalTime(`${wall}:00`, ZONE))
const due = (from: string, minutes: number) =>
  formatLocalTime(addWorkingMinutes(calendar, ZONE, at(from), minutes), ZONE).slice(0, 16)

test.each([
  ['2030-03-04 09:00', 60, '2030-03-04 10:00'],
  ['2030-03-04 07:00', 60, '2030-03-04 10:00'],
  ['2030-03-04 11:30', 60, '2030-03-04 14:00'],
  ['2030-03-04 12:30', 30, '2030-03-04 14:00'],
  ['2030-03-04 17:30', 60, '2030-03-05 09:30'],
  ['2030-03-05 17:30', 60, '2030-03-07 09:30'],
  ['2030-03-08 17:30', 60, '2030-03-09 09:30'],
  ['2030-03-09 17:30', 60, '2030-03-11 09:30'],
  ['2030-03-10 10:00', 0, '2030-03-11 09:00'],
  ['2030-03-04 09:00', 450, '2030-03-04 18:00'],
  ['2030-03-04 09:00', 451, '2030-03-05 09:01'],
])('a time limit that starts at %s with %i working minutes ends at %s', (from, minutes, expected) =>
  expect(due(from, minutes)).toBe(expected),
)

test('a holiday, a replacement workday and a weekend are recognised', () => {
  expect(['2030-03-05', '2030-03-06', '2030-03-09', '2030-03-10'].map((day) => isWorkday(calendar, day))).toEqual([
    true,
    false,
    true,
    false,
  ])
})

test.each([
  // New Year: holiday from Thursday to Saturday, Sunday is a workday.
  ['2025-12-31 17:30', 60, '2026-01-04 09:30'],
  // Spring Festival: the Saturday before is a workday, nine days of holiday, and the Saturday after is a workday.
  ['2026-02-13 17:30', 60, '2026-02-14 09:30'],
  ['2026-02-14 17:30', 60, '2026-02-24 09:30'],
  ['2026-02-27 17:30', 60, '2026-02-28 09:30'],
  ['2026-04-03 17:30', 60, '2026-04-07 09:30'],
  ['2026-04-30 17:30', 60, '2026-05-06 09:30'],
  ['2026-05-08 17:30', 60, '2026-05-09 09:30'],
  ['2026-06-18 17:30', 60, '2026-06-22 09:30'],
  ['2026-09-19 10:00', 60, '2026-09-20 10:00'],
  ['2026-09-24 17:30', 60, '2026-09-28 09:30'],
  ['2026-09-30 17:30', 60, '2026-10-08 09:30'],
  ['2026-10-09 17:30', 60, '2026-10-10 09:30'],
])(
  'with the holidays of 2026, a time limit that starts at %s with %i working minutes ends at %s',
  (from, minutes, expected) => {
    const end = addWorkingMinutes(STANDARD_SLA.calendar, ZONE, at(from), minutes)
    expect(formatLocalTime(end, ZONE).slice(0, 16)).toBe(expected)
  },
)

test('counting the working minutes between two times is the inverse of adding working minutes', () => {
  for (const minutes of [0, 1, 179, 180, 450, 1000, 5000]) {
    const from = at('2030-03-04 10:17')
    expect(countWorkingMinutes(calendar, ZONE, from, addWorkingMinutes(calendar, ZONE, from, minutes))).toBe(minutes)
  }
  expect(countWorkingMinutes(calendar, ZONE, at('2030-03-05 10:00'), at('2030-03-04 10:00'))).toBe(0)
  expect(countWorkingMinutes(calendar, ZONE, at('2030-03-06 00:00'), at('2030-03-06 23:59'))).toBe(0)
})

test('a calendar without any future workday counts every minute as working time', () => {
  const never = { ...calendar, weekdays: [7], holidays: [], workdays: [], periods: [{ start: '00:00', end: '24:00' }] }
  expect(formatLocalTime(addWorkingMinutes(never, ZONE, at('2030-03-04 09:00'), 60), ZONE)).toBe('2030-03-10 01:00:00')
  const none = { ...calendar, weekdays: [], workdays: [] }
  expect(formatLocalTime(addWorkingMinutes(none, ZONE, at('2030-03-04 09:00'), 60), ZONE)).toBe('2030-03-04 10:00:00')
})

test('working hours keep their local time across daylight saving time', () => {
  const zone = 'Europe/Berlin'
  const from = new Date(parseLocalTime('2030-03-29 17:30:00', zone))
  expect(formatLocalTime(addWorkingMinutes(STANDARD_SLA.calendar, zone, from, 60), zone)).toBe('2030-04-01 09:30:00')
})

describe('ticket time limits', () => {
  const base = {
    status: 0,
    priority: 4,
    createTime: at('2030-03-04 09:00'),
    firstRespondTime: null,
    closeTime: null,
    pausedMinutes: 0,
    slaBreached: false,
  }
  const state = (now: string, more: Partial<typeof base> | object = {}) =>
    computeSla({ ...STANDARD_SLA, calendar }, ZONE, { ...base, ...more }, at(now))
  const wall = (text: string | null) => text && formatLocalTime(new Date(text), ZONE).slice(0, 16)

  test('an urgent ticket is near its limit after 80 percent of the time, and late after all of the time', () => {
    expect(state('2030-03-04 09:10')).toMatchObject({ slaState: 1, slaBreached: false })
    expect(wall(state('2030-03-04 09:10').slaNextTime)).toBe('2030-03-04 09:24')
    expect(state('2030-03-04 09:25').slaState).toBe(2)
    expect(wall(state('2030-03-04 09:25').slaNextTime)).toBe('2030-03-04 09:30')
    expect(state('2030-03-04 09:31')).toMatchObject({ slaState: 3, slaBreached: true })
  })

  test('the first reply stops the response timer; closing the ticket stops the resolution timer', () => {
    const answered = { status: 1, firstRespondTime: at('2030-03-04 09:20') }
    expect(state('2030-03-04 10:00', answered)).toMatchObject({ slaState: 1, slaBreached: false })
    expect(wall(state('2030-03-04 10:00', answered).slaSolveDue)).toBe('2030-03-04 18:00')
    const closed = { ...answered, status: 5, closeTime: at('2030-03-04 17:00') }
    expect(state('2030-03-20 10:00', closed)).toMatchObject({ slaState: 1, slaNextTime: null, slaBreached: false })
    const late = { ...answered, status: 5, closeTime: at('2030-03-05 09:01') }
    expect(state('2030-03-20 10:00', late)).toMatchObject({ slaState: 3, slaBreached: true })
  })

  test('the time limits of a suspended ticket are extended by the suspended time', () => {
    const waits = { status: 4, firstRespondTime: at('2030-03-04 09:20') }
    expect(state('2030-03-20 10:00', waits)).toMatchObject({ slaState: 1, slaNextTime: null, slaBreached: false })
    const back = { status: 1, firstRespondTime: at('2030-03-04 09:20'), pausedMinutes: 450 }
    expect(wall(state('2030-03-05 10:00', back).slaSolveDue)).toBe('2030-03-05 18:00')
  })

  test('a ticket has no time limits when they are disabled', () => {
    expect(computeSla({ ...STANDARD_SLA, enabled: false }, ZONE, base, at('2030-03-20 10:00'))).toMatchObject({
      slaState: 0,
      slaNextTime: null,
      slaRespondDue: null,
    })
  })
})

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
