import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { storePlays, uuidOf } from '#test/fixtures/ad-play-fixture.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { createApprovedAd, formatDayFromToday, buildProgramInput, createScreens } from '../programs/program-fixture.ts'
import { notifyForecasts } from './program-forecast-notice.ts'

const server = useApp({ OMS_AD_TWO_PERSON: 'off' })
const ROOT = '/api/v1/advertise/program'
const PERMISSIONS = ['list', 'query', 'add', 'publish', 'withdraw'].map((a) => `advertiseManage:ProgramList:${a}`)
const DAY_MS = 86_400_000
/** Plays of one screen and day: an ad of 10 s has the whole day. */
const PER_DAY = 8640

let staff: Caller
let ad: number
beforeAll(async () => {
  staff = await server.by({ permissions: PERMISSIONS })
  ad = await createApprovedAd(server.db)
  server.services.now = () => new Date(`${formatDayFromToday(0)}T00:00:00+08:00`)
})

/** Creates a published program of one screen that plays from today on for `days` days. */
async function booking({ days, ...fields }: { days: number; bookedPlays: number; [field: string]: unknown }) {
  const { ids } = await createScreens(server.db, { count: 1 })
  const dates = { dateFrom: formatDayFromToday(0), dateTo: formatDayFromToday(days - 1) }
  const body = buildProgramInput({ items: [{ adId: ad }], targetIds: ids, ...dates, ...fields })
  const { data } = await staff.call('POST', ROOT, body)
  expect((await staff.call('POST', `${ROOT}/publish/${data.id}`, {})).code).toBe(200)
  return { id: data.id as number, deviceId: ids[0]! }
}
const forecast = (id: number) => staff.call('GET', `${ROOT}/forecast?id=${id}`)

test('AD-12 the forecast of a booking without reports assumes 90 % of the planned plays', async () => {
  const { id } = await booking({ days: 10, bookedPlays: 9 * PER_DAY })
  expect((await forecast(id)).data).toMatchObject({
    booked: 9 * PER_DAY,
    played: 0,
    expected: 9 * PER_DAY,
    rate: 100,
    gap: 0,
    screens: 1,
    availability: 90,
    isAvailabilityKnown: false,
    texts: [],
  })
})

test('AD-12 the forecast proposes the smallest extension and the smallest number of screens to close a gap', async () => {
  const { id } = await booking({ days: 10, bookedPlays: 10 * PER_DAY })
  expect((await forecast(id)).data).toMatchObject({
    rate: 90,
    gap: PER_DAY,
    days: 2,
    addedScreens: 1,
    texts: ['延长 2 天', '增加 1 块屏幕'],
  })
})

test('AD-12 the forecast uses the plays of the last days instead of the assumed availability', async () => {
  const { id, deviceId } = await booking({ days: 4, bookedPlays: 5, bookedPer: 2 })
  await server.db.execute(sql`update ad_program_versions set body = jsonb_set(jsonb_set(body, '{publishedAt}', '0'),
    '{dateFrom}', to_jsonb(${formatDayFromToday(-2)}::text)) where program_id = ${id}`)
  const startMs = server.services.now().getTime() - DAY_MS
  // Half of the plays of two days, added up by the player.
  const half = Array.from({ length: 4 }, (_, at) => ({ at, count: PER_DAY / 4 }))
  const plays = half.map(({ at, count }) => ({
    deviceId,
    reportId: uuidOf(id * 100 + at),
    startMs: startMs + at * 3_600_000 - (at % 2) * DAY_MS,
    ms: 10_000,
    programId: id,
    adId: ad,
    count,
  }))
  await storePlays(server.services.database.pool, plays)
  const { data } = await forecast(id)
  expect(data).toMatchObject({ availability: 50, isAvailabilityKnown: true, played: PER_DAY, booked: 5 * 6 })
  expect(data.expected).toBe(PER_DAY + 2 * PER_DAY)
})

test('AD-12 the forecast of an ended program expects no plays; a program without a booking has no forecast', async () => {
  const { id } = await booking({ days: 10, bookedPlays: PER_DAY })
  await staff.call('POST', `${ROOT}/withdraw/${id}`, {})
  expect((await forecast(id)).data).toMatchObject({ expected: 0, gap: PER_DAY, texts: [] })
  const none = await booking({ days: 1, bookedPlays: 0 })
  expect(await forecast(none.id)).toMatchObject({ code: 501, msg: '该节目单没有预约播放次数' })
})

test('AD-12 each tenant gets one message that lists its bookings with a forecast below 100 %', async () => {
  await server.db.execute(sql`update ad_programs set status = 5`)
  await booking({ programName: '完成得了', days: 10, bookedPlays: 1 })
  await booking({ programName: '差一点', days: 10, bookedPlays: 10 * PER_DAY })
  await booking({ programName: '差很多', days: 1, bookedPlays: 10 * PER_DAY })
  expect(await notifyForecasts(server.services, server.services.now())).toMatchObject({ forecasts: 3, missing: 2 })
  const { rows } = await server.db.execute<{ title: string; content: string; ids: number[] }>(
    sql`select title, content, target_ids as ids from notices where title like '%预约'`,
  )
  expect(rows).toHaveLength(1)
  expect(rows[0]).toMatchObject({ title: '2 个节目单预计不能完成预约' })
  expect(rows[0]!.ids).toContain(staff.uid)
  expect(rows[0]!.content).toContain('《差一点》预计播放 77,760 次，预约 86,400 次（90%），可延长 2 天或增加 1 块屏幕')
  expect(rows[0]!.content).not.toContain('完成得了')
})
