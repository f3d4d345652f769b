import { DEFAULT_STORAGE_SETTINGS } from '@oms/contract/storage/setting.ts'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { computeMonthlyCosts } from './simulate.service.ts'
import { START_MS, ENTITLEMENT_URL as URL, useStorage } from '../storage-fixture.ts'
import { recordDueEntitlements } from '../storage-clock.ts'
import { notifySilentChannels } from '../storage-trouble.ts'

const HOUR_MS = 3_600_000
const STAT = '/api/v1/oss/statistics'
const app = useApp()
const { setNow, clock, call, newDevice, open, step, rowsOf } = useStorage(app)

test('STORAGE-13 the monthly cost of a device is computed from stored bytes, writes and playback', () => {
  const settings = { ...DEFAULT_STORAGE_SETTINGS, storeCost: 10_000, putCost: 1000, outCost: 50_000, playedShare: 10 }
  // 1 GB a day kept for 7 days at 10 fen, 30 × 20,000 writes at 1 fen for 10,000, 3 GB played at 50 fen.
  expect(computeMonthlyCosts({ bytes: 1e9, segments: 20_000 }, 7, settings)).toEqual({
    store: 70,
    put: 60,
    out: 150,
    cost: 280,
  })
})

test('STORAGE-13 the simulator uses measured uploads and returns no figures for fewer than 20 devices', async () => {
  setNow(START_MS)
  const ask = (over: object = {}) =>
    call('POST', `${STAT}/simulate`, {
      recordType: 1,
      storageDays: 7,
      periodType: 2,
      periodCount: 3,
      price: 900,
      ...over,
    })
  const add = (from: number, to: number) =>
    app.db.execute(sql`insert into oss_device_days (device_id, channel, day, tenant_id, owner_id, model_id, record_type,
        expire_days, segments, duration_ms, bytes, first_ms, last_ms)
      select n, 0, '2026-04-30', 1, 0, 1, 1, '{2026-05-08}', 100, 1000, n * 1000000, 0, 1 from generate_series(${from}::int, ${to}::int) n`)
  await add(1, 19)
  expect((await ask()).data).toMatchObject({ devices: 19, cost: null, margin: null, revenue: 300 })
  await add(20, 21)
  const { data } = await ask()
  expect(data).toMatchObject({ devices: 21, medianMb: 11, p90Mb: 19, revenue: 300 })
  expect(data.margin).toBe(Math.round(300 - data.cost))
  // The price covers both channels, and each channel uploads as much as a measured one.
  const both = (await ask({ channels: 2 })).data
  expect(both).toMatchObject({ devices: 21, medianMb: 22, p90Mb: 38, revenue: 300 })
  expect(both.cost).toBeCloseTo(2 * data.cost, 0)
  expect((await ask({ recordType: 2 })).data).toMatchObject({ devices: 0, cost: null })
  expect((await ask({ modelIds: [2] })).data).toMatchObject({ devices: 0 })
  const tenant = await app.by({ tenant: '辛公司', permissions: ['ossManage:ossStatisticalAnalysis:list'] })
  const terms = { recordType: 1, storageDays: 7, periodType: 2, periodCount: 1, price: 900 }
  const permissions = ['ossManage:ossStatisticalAnalysis:list']
  const limited = await app.by({ permissions, dataScope: 3, scopeIds: [1] })
  for (const caller of [tenant, limited])
    expect(await caller.call('POST', `${STAT}/simulate`, terms)).toMatchObject({ code: 501 })
})

test('STORAGE-13 the simulator uses the measured playback share seven days after the first counted play', async () => {
  setNow(START_MS)
  const terms = { recordType: 1, storageDays: 7, periodType: 2, periodCount: 1, price: 900 }
  const shareOf = async (over: object = {}) => {
    const { playedShare, isShareMeasured } = (await call('POST', `${STAT}/simulate`, { ...terms, ...over })).data
    return [playedShare, isShareMeasured]
  }
  const addDay = (day: string, { model = 1, uploaded = 1_000_000, played = 0 }) =>
    app.db.execute(sql`
      with u as (insert into oss_usage_days (day, tenant_id, model_id, record_type, segments, duration_ms, bytes, device_days)
        values (${day}, 1, ${model}, 1, 10, 1000, ${uploaded}, 1))
      insert into oss_play_days (day, tenant_id, model_id, record_type, segments, bytes)
      values (${day}, 1, ${model}, 1, 1, ${played})`)
  await app.db.execute(sql`delete from oss_usage_days`)
  expect(await shareOf()).toEqual([DEFAULT_STORAGE_SETTINGS.playedShare, false])
  // Uploads from before the first counted play, as after an upgrade of the product.
  await app.db.execute(sql`insert into oss_usage_days (day, tenant_id, model_id, record_type, segments, duration_ms, bytes,
    device_days) values ('2026-04-20', 1, 1, 1, 10, 1000, 5000000, 1)`)
  expect(await shareOf()).toEqual([DEFAULT_STORAGE_SETTINGS.playedShare, false])
  await addDay('2026-04-25', { played: 120_000 })
  expect(await shareOf()).toEqual([DEFAULT_STORAGE_SETTINGS.playedShare, false])
  // The first counted day is seven days ago; uploads of earlier days do not count.
  await addDay('2026-04-24', { played: 80_000 })
  await app.db.execute(sql`insert into oss_usage_days (day, tenant_id, model_id, record_type, segments, duration_ms, bytes,
    device_days) values ('2026-04-23', 1, 1, 1, 10, 1000, 9000000, 1)`)
  expect(await shareOf()).toEqual([10, true])
  await addDay('2026-04-25', { model: 2, played: 300_000 })
  expect(await shareOf({ modelIds: [2] })).toEqual([30, true])
  expect(await shareOf({ recordType: 2 })).toEqual([DEFAULT_STORAGE_SETTINGS.playedShare, false])
  await app.db.execute(sql`delete from oss_usage_days`)
  await app.db.execute(sql`delete from oss_play_days`)
})

test('STORAGE-13 the simulator samples a large table evenly', async () => {
  setNow(START_MS)
  await app.db.execute(sql`insert into oss_device_days (device_id, channel, day, tenant_id, owner_id, model_id, record_type,
      expire_days, segments, duration_ms, bytes, first_ms, last_ms)
    select n, 0, '2026-04-30', 1, 0, 7, 1, '{2026-05-08}', 100, 1000, case when n <= 160000 then 1 else 9 end * 1000000, 0, 1
    from generate_series(100001, 220000) n`)
  const terms = { recordType: 1, storageDays: 7, periodType: 2, periodCount: 1, price: 900, modelIds: [7] }
  const { data } = await call('POST', `${STAT}/simulate`, terms)
  expect(data.p90Mb).toBe(9)
  expect(data.devices).toBeGreaterThan(30_000)
  expect(data.devices).toBeLessThan(70_000)
  await app.db.execute(sql`delete from oss_device_days where model_id = 7`)
})

test('STORAGE-13 online cameras that should record but upload nothing are listed and reported to staff once a day', async () => {
  setNow(START_MS)
  const [silent, offline, recent, paused, events] = await Promise.all(Array.from({ length: 5 }, () => newDevice()))
  await call('POST', '/api/v1/oss/package', {
    packageName: '事件',
    packageCode: 'EV',
    recordType: 2,
    storageDays: 7,
    periodType: 2,
    periodCount: 1,
    price: 0,
  })
  const { data } = await call('GET', '/api/v1/oss/package/page?packageCode=EV')
  await open([silent!, offline!, recent!, paused!])
  await open([events!], 'M1', { packageId: data.list[0].id })
  await app.db.execute(sql`update devices set online = (sn <> ${offline})::int`)
  const shown = async () => (await call('GET', `${STAT}/trouble`)).data.list.map(({ sn }: { sn: string }) => sn)
  expect(await shown()).toEqual([])
  await step(
    'suspend',
    (await rowsOf(paused!)).map(({ id }) => id),
  )
  setNow(START_MS + 3 * HOUR_MS)
  await app.db.execute(sql`insert into oss_device_status (device_id, channel, tenant_id, upload_time)
    select id, 0, 1, ${new Date(START_MS + 2 * HOUR_MS).toISOString()} from devices where sn = ${recent}`)
  expect(await shown()).toEqual([silent])
  expect((await call('GET', `${URL}/page?sn=${recent}`)).data.list[0].uploadTime).toBe('2026-05-01 12:00:00')

  const messages = async () =>
    (
      await app.db.execute<{ title: string; summary: string }>(
        sql`select title, summary from notices where title like '%没有上传录像%' order by notice_id`,
      )
    ).rows
  await notifySilentChannels(app.services)
  await notifySilentChannels(app.services)
  expect(await messages()).toMatchObject([{ title: expect.stringMatching(/^1个通道超过2小时没有上传录像：.+/) }])
  expect((await messages())[0]!.summary).toContain(silent)
  setNow(START_MS + 24 * HOUR_MS)
  await notifySilentChannels(app.services)
  expect(await messages()).toHaveLength(2)
})

test('STORAGE-13 a camera with recording switched off is not listed; a silent camera stays listed in its next package', async () => {
  setNow(START_MS)
  const [off, told, stacked] = await Promise.all(Array.from({ length: 3 }, () => newDevice()))
  await open([off!, told!])
  await open([stacked!], 'W1', { copies: 2 })
  await app.db.execute(sql`update devices set online = 1 where sn in (${off}, ${told}, ${stacked})`)
  await app.db.execute(
    sql`update oss_queues q set switched_off = 1 from devices d where d.id = q.device_id and d.sn = ${off}`,
  )
  const shown = async () =>
    (await call('GET', `${STAT}/trouble?pageSize=50`)).data.list
      .map(({ sn }: { sn: string }) => sn)
      .filter((sn: string) => [off, told, stacked].includes(sn))
  // The second package of the stacked camera has been in force for an hour.
  setNow(START_MS + (7 * 24 + 1) * HOUR_MS)
  await recordDueEntitlements(app.services)
  await app.db.execute(sql`insert into oss_device_status (device_id, channel, tenant_id, answer, ask_time)
    select id, 0, 1, 'switch', ${new Date(clock.now - HOUR_MS).toISOString()} from devices where sn = ${told}`)
  expect(await shown()).toEqual([stacked])
  setNow(clock.now + 2 * HOUR_MS)
  expect((await shown()).toSorted()).toEqual([told, stacked].toSorted())
})
