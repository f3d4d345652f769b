import { type TestPlay, uuidOf } from '#test/fixtures/ad-play-fixture.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** Monday, 00:00 of the console's zone. */
export const MONDAY = Date.parse('2026-11-15T16:00:00Z')
export type PlayFilterCase = Record<string, string | number | undefined>

/** 400 plays of three screens in ten days; screen 3 belongs to the tenant. */
export const createSamplePlays = (tenantId: number) =>
  Array.from({ length: 400 }, (_, at): Required<TestPlay> => {
    const n = at + 1
    const deviceId = (n % 3) + 1
    const startMs = MONDAY + ((n * 7919) % (10 * 24 * 4)) * (HOUR_MS / 4)
    return {
      deviceId,
      reportId: uuidOf(n),
      startMs,
      recvMs: startMs + (n % 2) * DAY_MS,
      ms: 5000 + (n % 7) * 1000,
      tenantId: deviceId === 3 ? tenantId : 1,
      programId: (n % 2) + 1,
      adId: (Math.floor(n / 5) % 3) + 1,
      modelId: 1,
      result: n % 17 === 0 ? 3 : n % 11 === 0 ? 2 : 1,
      clock: n % 29 === 0 ? 0 : 1,
      count: n % 23 === 0 ? 4 : 1,
    }
  })

export const toLocal = (play: Required<TestPlay>) =>
  new Date((play.clock === 0 ? play.recvMs : play.startMs) + 8 * HOUR_MS)
export const formatTestDay = (play: Required<TestPlay>) => toLocal(play).toISOString().slice(0, 10)
export const sumValues = (list: readonly Required<TestPlay>[], value: (play: Required<TestPlay>) => number) =>
  list.reduce((total, play) => total + value(play), 0)

/** Adds up single plays as the definitions say. */
export function sumFigures(list: readonly Required<TestPlay>[]) {
  const trusted = list.filter(({ clock }) => clock > 0)
  const of = (result: number) =>
    sumValues(
      trusted.filter((play) => play.result === result),
      ({ count }) => count,
    )
  const untrusted = sumValues(
    list.filter(({ clock }) => clock === 0),
    ({ count }) => count,
  )
  return {
    plays: of(1) + of(2) + untrusted,
    complete: of(1),
    partial: of(2),
    failed: of(3),
    untrusted,
    ms: sumValues(
      trusted.filter(({ result }) => result < 3),
      ({ ms }) => ms,
    ),
  }
}
export const computePercent = (part: number, whole: number) =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 100
export const countScreens = (list: readonly Required<TestPlay>[]) =>
  new Set(list.filter(({ clock, result }) => clock === 0 || result < 3).map(({ deviceId }) => deviceId)).size

export const FILTER_CASES: [string, PlayFilterCase, (play: Required<TestPlay>) => boolean][] = [
  ['no filter', {}, () => true],
  ['a program', { programId: 1 }, ({ programId }) => programId === 1],
  ['an ad', { adId: 2 }, ({ adId }) => adId === 2],
  ['a screen', { sn: 'SCR-1' }, ({ deviceId }) => deviceId === 1],
  ['a static group', { groupId: 1 }, ({ deviceId }) => deviceId <= 2],
  ['a dynamic group', { groupId: 2 }, ({ deviceId }) => deviceId === 1],
  ['a tag', { tag: 'lobby' }, ({ deviceId }) => deviceId <= 2],
  ['a tenant', { tenantId: 1 }, ({ tenantId: of }) => of === 1],
  ['one day', { startDate: '2026-11-18', endDate: '2026-11-18' }, (play) => formatTestDay(play) === '2026-11-18'],
  [
    'a program and a screen',
    { programId: 2, sn: 'SCR-2' },
    ({ programId, deviceId }) => programId === 2 && deviceId === 2,
  ],
]
