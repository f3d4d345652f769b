import { buildAd, buildProgram, parseShanghaiTime } from '@oms/contract/advertise/engine/manifest-fixture.ts'
import type { ManifestProgram } from '@oms/contract/advertise/engine/manifest.ts'
import { expect, test } from 'vitest'
import { planFirstDay } from './program-dry-run.ts'

/** A day of pictures of ten seconds. */
const DAY = 8640
const ZONE = 'Asia/Shanghai'

function plan(time: string, fields: Partial<ManifestProgram> = {}, screens = 1) {
  const subject = {
    body: buildProgram(1, fields),
    others: new Map(),
    sets: [{ zone: ZONE, screens, programIds: [] }],
  }
  const now = new Date(parseShanghaiTime(time))
  return planFirstDay(now, subject as never, new Map([[10, buildAd(10)]]))
}

test.each<[string, Partial<ManifestProgram>, number, boolean]>([
  ['2026-11-27 00:00:00', {}, DAY, true],
  // 4 hours and 19 minutes are left.
  ['2026-11-27 19:41:00', {}, (4 * 60 + 19) * 6, true],
  ['2026-11-27 19:41:00', { dayParts: [{ start: '18:00', end: '20:00' }] }, 19 * 6, true],
  // The hours of today are over.
  ['2026-11-27 19:41:00', { dayParts: [{ start: '08:00', end: '09:00' }] }, 360, false],
  ['2026-11-30 19:41:00', { dayParts: [{ start: '08:00', end: '09:00' }] }, 0, true],
  ['2026-11-27 19:41:00', { dateFrom: '2026-11-28' }, DAY, false],
  // 27 November 2026 is a Friday; the program plays on Fridays.
  ['2026-11-20 19:41:00', { weekdays: 16, dayParts: [{ start: '08:00', end: '09:00' }] }, 360, false],
  ['2026-11-26 19:41:00', { weekdays: 16 }, DAY, false],
  ['2026-12-01 08:00:00', {}, 0, false],
])('AD-05 the first day counts no hour that has passed: %s %j', (time, fields, firstDayPlays, isRestOfToday) => {
  expect(plan(time, fields)).toEqual({ firstDayPlays, isRestOfToday })
})

test('AD-05 the first day counts every screen', () => {
  expect(plan('2026-11-27 23:59:00', {}, 7).firstDayPlays).toBe(42)
})

test('AD-05 the first day is a day of the zone of each screen', () => {
  const sets = [
    { zone: ZONE, screens: 1, programIds: [] },
    { zone: 'America/New_York', screens: 2, programIds: [] },
  ]
  const plan = (fields: Partial<ManifestProgram>) => {
    const subject = { body: buildProgram(1, fields), others: new Map(), sets }
    // 14:35 of the day before in New York.
    const now = new Date(parseShanghaiTime('2026-11-28 03:35:00'))
    return planFirstDay(now, subject as never, new Map([[10, buildAd(10)]]))
  }
  const only = { dateFrom: '2026-11-27', dateTo: '2026-11-27', dayParts: [{ start: '13:00', end: '16:00' }] }
  expect(plan(only)).toEqual({ firstDayPlays: 2 * 85 * 6, isRestOfToday: true })
  const longer = { dateFrom: '2026-11-27', dayParts: [{ start: '13:00', end: '16:00' }] }
  expect(plan(longer)).toEqual({ firstDayPlays: 2 * 85 * 6 + 180 * 6, isRestOfToday: true })
})
