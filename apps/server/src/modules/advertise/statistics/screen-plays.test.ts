import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { storePlays, uuidOf } from '#test/fixtures/ad-play-fixture.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const PATH = '/api/v1/advertise/statistics/screenPlay'
const PERMISSION = 'advertiseManage:statisticalAnalysis:query'
const MINUTE_MS = 60_000
/** 08:00 in Berlin, 15:00 in Shanghai. */
const START = Date.parse('2026-11-24T07:00:00Z')
let staff: Caller

beforeAll(async () => {
  app.services.now = () => new Date('2026-11-25T04:00:00Z')
  staff = await app.by({ permissions: [PERMISSION] })
  await app.db.execute(
    sql`insert into devices (id, sn, tenant_id, model_id) values (1, 'SCR-1', 1, 1), (2, 'SCR-2', 1, 1)`,
  )
  await app.db.execute(sql`insert into ad_screens (device_id, tenant_id, player_kind, time_zone) values
    (1, 1, 1, 'Europe/Berlin'), (2, 1, 1, '')`)
  await app.db.execute(sql`insert into ads (id, tenant_id, ad_name, ad_type) values (1, 1, '咖啡', 1)`)
  await app.db.execute(sql`insert into ad_programs (id, tenant_id, program_name, date_from, date_to) values
    (1, 1, '早餐', '2026-11-16', '2026-11-29')`)
  const play = (n: number, fields: object = {}) => ({
    deviceId: 1,
    reportId: uuidOf(n),
    startMs: START + n * MINUTE_MS,
    ms: 15_000,
    ...fields,
  })
  const plays = Array.from({ length: 50 }, (_, n) => play(n))
  plays.push(play(50, { result: 3 }), play(51, { clock: 0, startMs: 5000, recvMs: START + 51 * MINUTE_MS }))
  plays.push(play(52, { deviceId: 2 }), play(53, { startMs: START - 8 * 60 * MINUTE_MS - 1 }))
  await storePlays(app.services.database.pool, plays)
  await app.db.execute(
    sql`insert into ad_rejects (day, device_id, reason, tenant_id, n) values ('2026-11-24', 1, 'overlap', 1, 3)`,
  )
})

const list = (fields: Record<string, string | number>, who = staff) =>
  who.call(
    'GET',
    `${PATH}?${new URLSearchParams(Object.entries(fields).map(([key, value]) => [key, String(value)] as [string, string]))}`,
  )

test('AD-11 the reported plays of a screen are listed by day of its zone, starting with the page of the requested moment', async () => {
  const { data } = await list({ sn: 'SCR-1', time: '2026-11-24 08:25:05', pageSize: 10 })
  expect(data).toMatchObject({
    total: 52,
    pageNum: 3,
    zone: 'Europe/Berlin',
    day: '2026-11-24',
    keptFrom: '2026-10-21',
  })
  expect(data.list.map(({ at }: { at: number }) => (at - START) / MINUTE_MS)).toEqual([
    20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
  ])
  expect(data.list[0]).toMatchObject({ adName: '咖啡', programName: '早餐', ms: 15_000, result: 1, isCounted: true })
  const last = (await list({ sn: 'SCR-1', time: '2026-11-24 08:25:05', pageSize: 10, pageNum: 6 })).data
  expect(last.list).toMatchObject([
    { result: 3, isCounted: false },
    { clock: 0, isCounted: true, at: START + 51 * MINUTE_MS },
  ])
  expect(last.rejects).toEqual([{ reason: 'overlap', count: 3 }])
  const before = (await list({ sn: 'SCR-1', time: '2026-11-23 12:00:00' })).data
  expect(before).toMatchObject({ total: 1, pageNum: 1 })
})

test('AD-11 the plays of a screen need the permission for statistics and a device in the data scope', async () => {
  const other = await app.by({ permissions: ['advertiseManage:ProgramList:query'] })
  expect((await list({ sn: 'SCR-1' }, other)).code).toBe(501)
  const tenant = await app.by({ tenant: '己公司', permissions: [PERMISSION] })
  expect((await list({ sn: 'SCR-1' }, tenant)).msg).toMatch(/^屏幕/)
})

test('AD-11 the query of a day uses the primary key of its partitions only', async () => {
  const { rows } = await app.db.transaction(async (db) => {
    await db.execute(sql`set local enable_seqscan = off`)
    return db.execute<{ 'QUERY PLAN': string }>(sql`explain select count(*) from ad_plays
      where play_day between '2026-11-23' and '2026-11-24' and device_id = 1`)
  })
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toMatch(/Index Cond: .*device_id = 1/)
  expect(plan).not.toContain('ad_plays_20261122')
})
