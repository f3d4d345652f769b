import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { rebuildFleetCounts } from '#modules/device/fleet/fleet-counts.ts'
import { deviceModels, devices, deviceTypes, fleetSamples } from '#modules/device/schema.ts'
import { tickets } from '#modules/ticket/schema.ts'
import { otaVersions, otaPolicies, otaTasks } from '#modules/upgrade/schema.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { sampleFleet } from './trend.ts'

const app = useApp()
const HOME = '/api/v1/home'
const SCREEN = 'index:indexScreen:bigScreen'
let admin: Caller
let customer: Caller
let tenantId: number
let modelId: number

const block = async (who: Caller, key: string) => (await who.call('GET', `${HOME}/summary?block=${key}`)).data.blocks[0]
const keysOf = async (who: Caller) =>
  (await who.call('GET', `${HOME}/blocks`)).data.blocks.map(({ key }: { key: string }) => key)

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
  customer = await app.by({ tenant: '甲公司', permissions: ['device:apkManage:list', SCREEN] })
  const { rows } = await app.services.database.pool.query<{ id: number }>(
    `select id from tenants where name = '甲公司'`,
  )
  tenantId = rows[0]!.id
  const [type] = await app.db.insert(deviceTypes).values({ typeName: '门铃', typeCode: 'bell' }).returning()
  const model = { typeId: type!.id, modelName: '甲型', modelCode: 'A' }
  const [first] = await app.db.insert(deviceModels).values(model).returning()
  const [second] = await app.db
    .insert(deviceModels)
    .values({ ...model, modelName: '乙型', modelCode: 'B' })
    .returning()
  modelId = first!.id
  const now = new Date().toISOString()
  const old = '2026-01-01 00:00:00'
  const device = { tenantId: 1, modelId, createTime: old }
  await app.db.insert(devices).values([
    { ...device, sn: 'H1', online: 1, activateTime: now, region: '上海', verCode: 5 },
    { ...device, sn: 'H2', activateTime: old, region: '上海', verCode: 5 },
    { ...device, sn: 'H3', region: '北京', status: 0 },
    { ...device, sn: 'H4', tenantId, modelId: second!.id, online: 1, activateTime: old, createTime: now },
    { ...device, sn: 'GONE', deletedAt: now },
  ])
})

describe('devices on the home page', () => {
  test('MODULE-01 the home page counts devices by state within the data scope of the account', async () => {
    expect(await block(admin, 'devices')).toMatchObject({
      value: 4,
      delta: 1,
      detail: '今日激活 1 台',
      figures: [{ title: '停用', value: 1, url: '/device/apkManage?status=0' }],
      parts: [
        { title: '在线', value: 2 },
        { title: '离线', value: 1 },
        { title: '未激活', value: 1 },
      ],
      url: '/device/apkManage',
    })
    expect(await block(customer, 'devices')).toMatchObject({
      value: 1,
      parts: [{ value: 1 }, { value: 0 }, { value: 0 }],
    })
    expect(await keysOf(customer)).toEqual(['devices', 'notices', 'operations'])
  })

  test('the home page lists only charts that the account may see', async () => {
    const { data } = await admin.call('GET', `${HOME}/blocks`)
    expect(data).toMatchObject({
      trends: ['activated', 'online', 'tickets', 'plays'],
      spreads: ['type', 'model', 'version', 'region', 'tenant'],
    })
    const own = (await customer.call('GET', `${HOME}/blocks`)).data
    expect(own).toMatchObject({ trends: ['activated', 'online'], spreads: ['type', 'model', 'version', 'region'] })
    const nobody = await app.as()
    expect((await nobody.call('GET', `${HOME}/blocks`)).data).toMatchObject({ trends: [], spreads: [] })
    expect(await nobody.call('GET', `${HOME}/trend?metric=activated`)).toMatchObject({ code: 501 })
    expect(await nobody.call('GET', `${HOME}/distribution?by=type`)).toMatchObject({ code: 501 })
    expect(await customer.call('GET', `${HOME}/distribution?by=tenant`)).toMatchObject({ code: 501 })
    expect(await admin.call('GET', `${HOME}/trend?metric=activated&days=8`)).toMatchObject({ code: 400 })
  })

  test('the home page counts devices by model, version, region, type and tenant', async () => {
    const by = async (key: string, who = admin) => (await who.call('GET', `${HOME}/distribution?by=${key}`)).data
    expect(await by('model')).toMatchObject({
      total: 4,
      others: 0,
      list: [
        { name: '甲型', value: 3, online: 1, url: `/device/apkManage?modelId=${modelId}` },
        { name: '乙型', value: 1, online: 1 },
      ],
    })
    expect((await by('version')).list[0]).toMatchObject({ name: '甲型 5', value: 2 })
    expect((await by('region')).list[0]).toMatchObject({ name: '上海', value: 2 })
    expect((await by('type')).list).toMatchObject([{ name: '门铃', value: 4, online: 2 }])
    expect((await by('tenant')).list.map(({ value }: { value: number }) => value)).toEqual([3, 1])
    expect(await by('model', customer)).toMatchObject({ total: 1, list: [{ name: '乙型' }] })
  })

  test('a trend has one point per day up to today', async () => {
    const { points, previous } = (await admin.call('GET', `${HOME}/trend?metric=activated&days=7`)).data
    expect(previous).toEqual([0, 0, 0, 0, 0, 0, 0])
    expect(points).toHaveLength(7)
    expect(points.map(({ value }: { value: number }) => value)).toEqual([0, 0, 0, 0, 0, 0, 1])
  })

  test('the counts by steps of devices equal a single count of all devices', async () => {
    await rebuildFleetCounts(app.services, 3)
    const { rows } = await app.db.execute(sql`
      select sum(devices)::int as devices, sum(online)::int as online, sum(activated)::int as activated,
        sum(inactive)::int as inactive, sum(created_today)::int as created from fleet_counts`)
    const { rows: exact } = await app.db.execute(sql`
      select count(*)::int as devices, count(*) filter (where online = 1)::int as online,
        count(activate_time)::int as activated, count(*) filter (where activate_time is null and online = 0)::int as inactive,
        count(*) filter (where create_time >= current_date)::int as created from devices where deleted_at is null`)
    expect(rows).toEqual(exact)
  })

  test('the peaks of online devices are recorded by hour and day, in total and for each tenant', async () => {
    const services = { ...app.services, now: () => new Date() }
    await sampleFleet(services)
    await app.db.execute(sql`update devices set online = 0 where sn = 'H1'`)
    await sampleFleet(services)
    await app.db.execute(sql`update devices set online = 1 where sn = 'H1'`)
    const { points } = (await admin.call('GET', `${HOME}/trend?metric=online&days=7`)).data
    expect(points.map(({ value }: { value: number | null }) => value)).toEqual([null, null, null, null, null, null, 2])
    const own = (await customer.call('GET', `${HOME}/trend?metric=online&days=7`)).data.points
    expect(own.at(-1).value).toBe(1)
    const late = { ...app.services, now: () => new Date(Date.now() + 500 * 86_400_000) }
    expect(await sampleFleet(late)).toEqual({ forgotten: 6, failedItems: 0 })
    await app.db.delete(fleetSamples)
    await sampleFleet(services)
  })
})

describe('big screen', () => {
  test('the big screen requires its permission and shows only data within the data scope of the account', async () => {
    expect(await (await app.as()).call('GET', `${HOME}/screen/fleet`)).toMatchObject({ code: 501 })
    const guest = await app.as(SCREEN)
    for (const panel of ['fleet', 'online', 'releases', 'tickets'])
      expect(await guest.call('GET', `${HOME}/screen/${panel}`)).toMatchObject({ code: 200, data: null })
    const { data } = await customer.call('GET', `${HOME}/screen/fleet`)
    expect(data).toMatchObject({ state: { devices: 1, online: 1 }, tenants: null, models: { total: 1 } })
  })

  test("the big screen shows devices, today's peaks and active releases", async () => {
    const { data } = await admin.call('GET', `${HOME}/screen/fleet`)
    expect(data).toMatchObject({
      state: { devices: 4, online: 2, offline: 1, inactive: 1 },
      regions: { list: [{ name: '上海', value: 2 }, { value: 1 }, { value: 1 }] },
      tenants: { total: 4 },
    })
    const { points } = (await admin.call('GET', `${HOME}/screen/online`)).data
    expect(points).toHaveLength(24)
    expect(points.at(-1)).toMatchObject({ value: 2 })
    const version = { tenantId: 1, modelId, releaseDate: '2026-01-01 00:00:00', status: 1, verName: '秋季版' }
    const [made] = await app.db
      .insert(otaVersions)
      .values({ ...version, verCode: 9 })
      .returning()
    const [test] = await app.db
      .insert(otaVersions)
      .values({ ...version, verCode: 10 })
      .returning()
    await app.db.insert(otaPolicies).values([
      { otaId: made!.otaId, tenantId: 1, mode: 2, percent: 2000 },
      { otaId: test!.otaId, tenantId: 1, mode: 1 },
    ])
    const closeTime = new Date().toISOString()
    const task = { otaId: made!.otaId, tenantId: 1, modelId, verCode: 9 }
    await app.db.insert(otaTasks).values([
      { ...task, deviceId: 1, state: 100, closeTime },
      { ...task, deviceId: 2, state: 110, closeTime },
      { ...task, deviceId: 3, state: 20 },
      { ...task, deviceId: 3, state: 110, closeTime, retried: true },
    ])
    expect((await admin.call('GET', `${HOME}/screen/releases`)).data.list).toMatchObject([
      { verName: '秋季版', verCode: 9, modelName: '甲型', percent: 2000, total: 3, succeeded: 1, failed: 1 },
    ])
  })

  test('the big screen shows pending, new and closed tickets', async () => {
    const ticket = { tenantId: 1, problemType: 1, content: '坏了' }
    const now = new Date().toISOString()
    await app.db.insert(tickets).values([
      { ...ticket, feedbackNo: 'F1' },
      { ...ticket, feedbackNo: 'F2', handlerId: admin.uid, slaState: 3 },
      { ...ticket, feedbackNo: 'F3', status: 5, closeTime: now, createTime: '2026-01-01 00:00:00' },
    ])
    const { data } = await admin.call('GET', `${HOME}/screen/tickets`)
    expect(data).toMatchObject({ open: 2, unassigned: 1, breached: 1, createdToday: 2, closedToday: 1 })
    expect(data.days).toHaveLength(14)
    expect(await block(admin, 'tickets')).toMatchObject({
      value: 2,
      figures: [
        { title: '今日新增', value: 2 },
        { title: '未分派', value: 1 },
        { title: '超时', value: 1 },
      ],
    })
    const { list } = (await admin.call('GET', `${HOME}/todo`)).data
    expect(list).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: 'ownTickets', count: 1 }),
        expect.objectContaining({ key: 'freeTickets', count: 1 }),
      ]),
    )
  })
})

test('for a large fleet, the counts of the last job run are shown', async () => {
  await rebuildFleetCounts(app.services)
  await app.db.execute(sql`update fleet_counts set devices = devices + 30000`)
  const { total } = (await admin.call('GET', `${HOME}/distribution?by=model`)).data
  expect(total).toBeGreaterThan(30_000)
})
