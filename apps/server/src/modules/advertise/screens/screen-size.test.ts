import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import { buildProgramInput, createApprovedAd, createScreens } from '#test/fixtures/program-fixture.ts'

const app = useApp()
const SCREEN = '/api/v1/advertise/screen'
const PROGRAM = '/api/v1/advertise/program'
let staff: Caller
let ids: number[]
let sn: string
beforeAll(async () => {
  const actions = ['list', 'query', 'screen', 'add']
  staff = await app.by({ permissions: actions.map((action) => `advertiseManage:ProgramList:${action}`) })
  ;({ ids } = await createScreens(app.db, { count: 2 }))
  const { rows } = await app.db.execute<{ sn: string }>(sql`select sn from devices where id = ${ids[0]!}`)
  sn = rows[0]!.sn
})

const read = async (of = sn) => (await staff.call('GET', `${SCREEN}/${of}`)).data
const save = async (fields: object) => {
  const { id, rev, timeZone, audienceFactor, volume } = await read()
  return staff.call('PUT', SCREEN, { id, rev, timeZone, audienceFactor, volume, ...fields })
}
const makeSmil = () => staff.call('POST', `${SCREEN}/smilKey/${ids[0]!}`)

test('AD-07 the size of a player that reports its size cannot be edited', async () => {
  await app.db.execute(sql`update ad_screens set width = 1280, height = 720 where device_id = ${ids[0]!}`)
  expect(await save({ width: 1080, height: 1920 })).toMatchObject({
    code: 400,
    msg: '分辨率由播放器上报，不能修改',
    data: { field: 'width' },
  })
  expect((await save({ width: 1280, height: 720, volume: 90 })).code).toBe(200)
  expect((await save({ volume: 100 })).code).toBe(200)
  expect(await read()).toMatchObject({ width: 1280, height: 720, volume: 100 })
})

test('AD-07 a SMIL player has the entered size, and a new SMIL address clears the report of the former player', async () => {
  await app.db.execute(sql`update ad_screens set failed = '[{"sha256":"a","reason":"hash"}]', codecs = '{vp8}', muted = 1,
    covered = 1, applied_etag = 'x', now_playing = '{"programId":1,"itemId":1,"adId":1,"since":1}', playing_time = now()
    where device_id = ${ids[0]!}`)
  await makeSmil()
  expect(await read()).toMatchObject({ width: 1280, failed: [], muted: 0, covered: 0, playingTime: null })
  expect(await save({ width: 1080 })).toMatchObject({ code: 200 })
  expect(await save({ width: 0 })).toMatchObject({
    code: 400,
    msg: '请同时填写屏幕宽度和屏幕高度',
    data: { field: 'width' },
  })
  expect(await save({ height: 0 })).toMatchObject({ code: 400, data: { field: 'height' } })
  expect(await save({ height: 40_000 })).toMatchObject({ code: 400, data: { field: 'height' } })
  expect((await save({ height: 1920 })).code).toBe(200)
  expect(await read()).toMatchObject({ width: 1080, height: 1920 })
  const { rows } = await app.db.execute<{ diff: string }>(sql`select diff::text from oper_logs
    where biz_type = 'adScreen' order by oper_time desc limit 1`)
  expect(rows[0]!.diff).toContain('屏幕高度')
  await app.services.fleet.sync()
  const { fleet, adDelivery } = app.services
  expect(adDelivery.index.smilSizeOf(fleet.slots.find(sn))).toEqual({ width: 1080, height: 1920 })
})

test('AD-05 a new size of a SMIL player sets its screen to 待获取', async () => {
  const state = async () => (await read()).deliveryState
  const { fleet, adDelivery } = app.services
  const { etag } = adDelivery.index.manifestOf(fleet.slots.find(sn))
  await app.db.execute(sql`update ad_screens set applied_etag = ${etag}, ready_files = 2, total_files = 2,
    last_report_time = now() where device_id = ${ids[0]!}`)
  expect(await state()).toBe(2)
  await save({ audienceFactor: 2 })
  expect(await state()).toBe(2)
  await save({ width: 720, height: 1280 })
  expect(await state()).toBe(0)
})

test('AD-05 the conflict check compares the entered size of a SMIL player with the program', async () => {
  const adId = await createApprovedAd(app.db)
  const input = buildProgramInput({ items: [{ adId }], targetIds: [ids[0]!], resolution: '1920×1080' })
  const { id } = (await staff.call('POST', PROGRAM, input)).data
  const codes = async () =>
    (await staff.call('GET', `${PROGRAM}/conflict?id=${id}`)).data.warnings.map(({ code }: { code: string }) => code)
  expect(await codes()).toContain('otherResolution')
  await save({ width: 1920, height: 1080 })
  expect(await codes()).not.toContain('otherResolution')
})

test('AD-05 a SMIL screen without all files has the state 已获取清单, also in the filter and the delivery of a program', async () => {
  await app.services.fleet.sync()
  const { fleet, adDelivery } = app.services
  const { etag } = adDelivery.index.manifestOf(fleet.slots.find(sn))
  await app.db.execute(sql`update ad_screens set applied_etag = ${etag}, ready_files = 1, total_files = 2,
    last_report_time = now() where device_id = ${ids[0]!}`)
  const list = (await staff.call('GET', `${SCREEN}/page?deliveryState=5`)).data.list
  expect(list.map((row: { id: number }) => row.id)).toEqual([ids[0]])
  const adId = await createApprovedAd(app.db)
  const input = buildProgramInput({ items: [{ adId }], targetIds: ids })
  const { id } = (await staff.call('POST', PROGRAM, input)).data
  const { states, list: rows } = (await staff.call('GET', `${PROGRAM}/delivery/${id}?state=5`)).data
  expect(rows.map((row: { id: number }) => row.id)).toEqual([ids[0]])
  expect(states.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(ids.length)
})

test('AD-07 a screen without a report for longer than its interval is offline in the zone of the console', async () => {
  const stateAfter = async (ago: string) => {
    await app.db.execute(sql`update ad_screens set last_report_time = now() - ${ago}::interval, ready_files = 0,
      total_files = 1 where device_id = ${ids[1]!}`)
    const { list } = (await staff.call('GET', `${SCREEN}/page`)).data
    return list.find((row: { id: number }) => row.id === ids[1]).deliveryState
  }
  expect([await stateAfter('10 minutes'), await stateAfter('20 minutes')]).toEqual([1, 4])
})

test('AD-07 the list has the time of the report of the playing ad, and marks an outdated report and an offline screen', async () => {
  const report = (ago: string, online = 1) =>
    app.db.execute(sql`with d as (update devices set online = ${online} where id = ${ids[1]!})
      update ad_screens set now_playing = '{"programId":1,"itemId":1,"adId":1,"since":1}',
        playing_time = now() - ${ago}::interval where device_id = ${ids[1]!}`)
  const stale = async () => {
    const { list } = (await staff.call('GET', `${SCREEN}/page`)).data
    const { playingTime, playingStale } = list.find((row: { id: number }) => row.id === ids[1])
    return [/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(playingTime), playingStale]
  }
  await report('10 minutes')
  expect(await stale()).toEqual([true, 0])
  await report('12 minutes')
  expect(await stale()).toEqual([true, 1])
  await report('1 minute', 0)
  expect(await stale()).toEqual([true, 1])
})
