import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { mergePlaySums } from '../plays/play-sums.ts'
import { storePlays, uuidOf } from '#test/fixtures/ad-play-fixture.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { createSamplePlays, HOUR_MS, sumFigures } from '#test/fixtures/statistics-fixture.ts'

const STAT = '/api/v1/advertise/statistics'
const RANGE = { startDate: '2026-11-16', endDate: '2026-11-26' }
const WEEK = { startDate: '2026-11-20', endDate: '2026-11-26' }
const NOW = '2026-11-27T04:00:00Z'
const FILTERS = [
  {},
  { groupId: 1 },
  { groupId: 2 },
  { tag: 'lobby' },
  { sn: 'SCR-1' },
  { programId: 1 },
  { adId: 1 },
  { advertiser: '春风茶饮' },
  { contractNo: 'HT-2' },
]
const app = useApp()
let admin: Caller
/** All plays belong to tenant 1, which owns the screens. */
const plays = createSamplePlays(1)

async function figures(name: string, filter: object) {
  const query = Object.entries({ ...RANGE, ...filter }).map(([key, value]): [string, string] => [key, String(value)])
  const answer = await admin.call('GET', `${STAT}/${name}?${new URLSearchParams(query).toString()}`)
  expect([name, filter, answer.code, answer.msg]).toEqual([name, filter, 200, answer.msg])
  return answer.data
}

/** Reads all figures of the page, and removes the marks of deleted names. */
async function readAll() {
  const read = FILTERS.flatMap((filter) => {
    const isByScreen = 'groupId' in filter || 'tag' in filter || 'sn' in filter
    return [
      figures('summary', filter),
      figures('heatmap', filter),
      ...[1, 2, 3].map((interval) => figures('trend', { ...filter, interval })),
      ...(isByScreen ? [] : [figures('trend', { ...filter, ...WEEK, interval: 0 })]),
      ...[1, 2, 3, 4, 5, 6].map((by) => figures('rank', { ...filter, by })),
      ...[0, 1, 2, 3, 4, 5].map((groupBy) => figures('detail', { ...filter, groupBy, pageSize: 200 })),
    ]
  })
  const all = await Promise.all(read)
  return JSON.parse(JSON.stringify(all).replaceAll('（已删除）', ''))
}

const change = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
  const answer = await admin.call(method, `/api/v1/${path}`, body)
  expect([path, answer.code, answer.msg]).toEqual([path, 200, answer.msg])
}

beforeAll(async () => {
  app.services.now = () => new Date(NOW)
  admin = await app.by({ superAdmin: true })
  const run = (text: string) => app.db.execute(sql.raw(text))
  await run(`insert into devices (id, sn, tenant_id, model_id, tags) values (1, 'SCR-1', 1, 1, '{lobby,big}'),
    (2, 'SCR-2', 1, 1, '{lobby}'), (3, 'SCR-3', 1, 1, '{}'), (4, 'SCR-4', 1, 1, '{}')`)
  await run(`insert into ad_screens (device_id, tenant_id, player_kind, audience_factor, create_time, update_time) values
    (1, 1, 1, 2.5, '2026-11-01', '2026-11-01'), (2, 1, 1, 0.75, '2026-11-01', '2026-11-01'),
    (3, 1, 1, 1, '2026-11-01', '2026-11-01'), (4, 1, 1, 1, '2026-11-24', '2026-11-24')`)
  await run(`insert into device_groups (id, tenant_id, group_name, kind, rule) values (1, 1, '门店', 1, null),
    (2, 1, '大屏', 2, '{"tags":["big"]}')`)
  await run(`insert into device_group_members (group_id, device_id) values (1, 1), (1, 2), (1, 4)`)
  await run(`insert into ads (id, tenant_id, ad_name, ad_type, advertiser, contract_no) values
    (1, 1, '咖啡', 1, '春风茶饮', 'HT-1'), (2, 1, '面包', 1, '春风茶饮', 'HT-2'), (3, 1, '牛奶', 1, '', '')`)
  await run(`insert into ad_programs (id, tenant_id, program_name, date_from, date_to) values
    (1, 1, '早餐', '2026-11-16', '2026-11-29'), (2, 1, '晚餐', '2026-11-16', '2026-11-22')`)
  await run(`insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids, state, screens,
    publish_by)
    values (1, 1, 1, '{"dateFrom":"2026-11-16","dateTo":"2026-11-29","weekdays":31}', 1, '{}', 2, 6, 1)`)
  // Half of the plays are merged.
  await storePlays(app.services.database.pool, plays.slice(0, 200))
  await mergePlaySums(app.db)
  await storePlays(app.services.database.pool, plays.slice(200))
})

test('AD-11 past figures do not change after a new factor, an unpairing, and deletions of devices, groups, programs and ads', async () => {
  const before = await readAll()
  const summary = await figures('summary', {})
  const exposureOf = (deviceId: number) => sumFigures(plays.filter((play) => play.deviceId === deviceId)).plays
  expect(summary).toMatchObject({
    exposure: Math.round(exposureOf(1) * 2.5 + exposureOf(2) * 0.75 + exposureOf(3)),
    screens: 3,
    allScreens: 4,
    deliveryRate: 75,
  })
  expect((await figures('summary', { endDate: '2026-11-23' })).allScreens).toBe(3)

  await change('PUT', 'advertise/screen', { id: 1, rev: 0, timeZone: '', audienceFactor: 9, volume: 100 })
  expect(await readAll()).toEqual(before)
  for (const id of [2, 4]) await change('POST', `advertise/screen/unpair/${id}`)
  expect(await readAll()).toEqual(before)
  await change('DELETE', 'device/info?ids=1&ids=2&ids=4')
  expect(await app.db.execute(sql`select from ad_screens`)).toMatchObject({ rowCount: 1 })
  expect(await readAll()).toEqual(before)
  await change('DELETE', 'device/group/1')
  await change('DELETE', 'device/group/2')
  expect(await readAll()).toEqual(before)
  const { list: groups } = await figures('detail', { groupBy: 2 })
  expect(groups.map(({ name }: { name: string }) => name)).toEqual(['门店（已删除）', '大屏（已删除）'])
  expect((await figures('groups', {})).list).toMatchObject([{ name: '门店（已删除）' }, { name: '大屏（已删除）' }])
  for (const id of [1, 2, 3]) await change('DELETE', `advertise/ad/${id}`)
  for (const id of [1, 2]) await change('DELETE', `advertise/program/${id}`)
  expect(await readAll()).toEqual(before)
  await mergePlaySums(app.db)
  expect(await readAll()).toEqual(before)
})

test('a play counts with the audience factor at the start of its hour, also when it is reported after a change', async () => {
  const later = { startDate: '2026-11-20', endDate: '2026-11-27', sn: 'SCR-3' }
  const { exposure } = await figures('summary', later)
  const edit = Date.parse(NOW)
  await change('PUT', 'advertise/screen', { id: 3, rev: 0, timeZone: '', audienceFactor: 4.25, volume: 100 })
  const play = { deviceId: 3, ms: 1000, tenantId: 1 }
  await storePlays(app.services.database.pool, [
    { ...play, reportId: uuidOf(9001), startMs: edit - HOUR_MS },
    { ...play, reportId: uuidOf(9002), startMs: edit + HOUR_MS, count: 2 },
  ])
  expect((await figures('summary', later)).exposure).toBe(exposure + Math.round(1 + 2 * 4.25))
  await mergePlaySums(app.db)
  expect((await figures('summary', later)).exposure).toBe(exposure + Math.round(1 + 2 * 4.25))
})

test('a batch with plays before and after a new factor has the exposure of the same plays in single reports', async () => {
  const { pool } = app.services.database
  const hour = Date.parse('2026-11-20T04:00:00Z')
  for (const deviceId of [8, 9]) {
    await pool.query(`insert into devices (id, sn, tenant_id, model_id) values ($1, 'SCR-' || $1::int, 1, 1)`, [
      deviceId,
    ])
    await pool.query(
      `insert into ad_screens (device_id, tenant_id, player_kind, audience_factor, create_time, update_time)
        values ($1, 1, 1, 2, '2026-11-01', '2026-11-01')`,
      [deviceId],
    )
    await pool.query(
      `update ad_screens set audience_factor = 7, update_time = to_timestamp($2::float8 / 1000) where device_id = $1`,
      [deviceId, hour + HOUR_MS / 2],
    )
  }
  const starts = [hour + 1000, hour + HOUR_MS - 5000, hour + HOUR_MS + 1000]
  const reportOf = (deviceId: number, at: number) => ({
    deviceId,
    reportId: uuidOf(9100 + deviceId * 10 + at),
    startMs: starts[at]!,
    ms: 1000,
  })
  await storePlays(
    pool,
    [2, 0, 1].map((at) => reportOf(8, at)),
  )
  for (const at of [0, 1, 2]) await storePlays(pool, [reportOf(9, at)])
  for (const merge of [false, true]) {
    if (merge) await mergePlaySums(app.db)
    for (const sn of ['SCR-8', 'SCR-9']) expect((await figures('summary', { sn })).exposure).toBe(2 + 2 + 7)
  }
})

test('plays before the first pairing count with the first factor, and plays of devices without pairing with 1', async () => {
  const { pool } = app.services.database
  await pool.query(`insert into devices (id, sn, tenant_id, model_id) values (5, 'SCR-5', 1, 1), (6, 'SCR-6', 1, 1)`)
  await pool.query(`insert into ad_screens (device_id, tenant_id, player_kind, audience_factor, create_time)
    values (5, 1, 1, 2, '2026-11-25')`)
  const startMs = Date.parse('2026-11-20T04:00:00Z')
  await storePlays(pool, [
    { deviceId: 5, reportId: uuidOf(9003), startMs, ms: 1000 },
    { deviceId: 6, reportId: uuidOf(9004), startMs, ms: 1000 },
  ])
  await mergePlaySums(app.db)
  expect((await figures('summary', { sn: 'SCR-5' })).exposure).toBe(2)
  expect((await figures('summary', { sn: 'SCR-6' })).exposure).toBe(1)
})

test('the periods of a screen follow pairings, factors and tenants and never overlap', async () => {
  const { pool } = app.services.database
  await pool.query(`insert into devices (id, sn, tenant_id, model_id) values (7, 'SCR-7', 1, 1)`)
  await pool.query(`insert into ad_screens (device_id, tenant_id, player_kind, create_time, update_time)
    values (7, 1, 1, '2026-11-01', '2026-11-01')`)
  await pool.query(`update ad_screens set audience_factor = 3, update_time = '2026-11-02' where device_id = 7`)
  await pool.query(`update ad_screens set volume = 50, update_time = '2026-11-03' where device_id = 7`)
  await pool.query(`update devices set tenant_id = 2 where id = 7`)
  await pool.query(`delete from ad_screens where device_id = 7`)
  await pool.query(
    `insert into ad_screens (device_id, tenant_id, player_kind, create_time) values (7, 2, 1, '2026-11-01')`,
  )
  const { rows } = await pool.query(`select tenant_id, audience_factor::float8 as factor, until_time is null as open,
      coalesce(from_time >= lag(until_time) over (order by from_time), true) as apart
    from ad_screen_periods where device_id = 7 order by from_time`)
  // Two changes in one millisecond leave one period, so the moved screen may have no period of its own.
  expect(rows.every(({ apart }) => apart)).toBe(true)
  expect(rows.slice(0, 2)).toMatchObject([
    { tenant_id: 1, factor: 1, open: false },
    { tenant_id: 1, factor: 3, open: false },
  ])
  expect(rows.at(-1)).toMatchObject({ tenant_id: 2, factor: 1, open: true })
  expect(rows.filter(({ open }) => open)).toHaveLength(1)
})
