import { DEFAULT_STORAGE_SETTINGS } from '@oms/contract/storage/setting.ts'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { computeSegmentDays } from './video/segment.ts'
import { SegmentWriter } from './video/segment-writer.ts'
import { useApp } from '#test/harness.ts'
import { ENTITLEMENT_URL as URL, useStorage } from '#test/fixtures/storage-fixture.ts'

const DAY_MS = 86_400_000
const SETTING = '/api/v1/oss/setting'
const app = useApp()
const { at, setNow, call, newDevice, open, packages, breaches, rowsOf } = useStorage(app)

/** Saves the default settings with these changes, from the stored revision. */
const save = async (over: object) =>
  call('PUT', SETTING, { ...DEFAULT_STORAGE_SETTINGS, ...over, rev: (await call('GET', SETTING)).data.rev })
const dayOf = (time: number) => new Date(time + 8 * 3_600_000).toISOString().slice(0, 10)

test('only staff whose data scope is all tenants can read and change the settings, and changes are logged', async () => {
  expect((await call('GET', SETTING)).data).toEqual({ ...DEFAULT_STORAGE_SETTINGS, rev: 0 })
  const permissions = ['ossManage:ossStatisticalAnalysis:setting', 'ossManage:ossStatisticalAnalysis:list']
  const tenant = await app.by({ tenant: '己公司', permissions })
  expect(await tenant.call('GET', SETTING)).toMatchObject({ code: 501 })
  expect(await tenant.call('PUT', SETTING, { ...DEFAULT_STORAGE_SETTINGS, rev: 0 })).toMatchObject({ code: 501 })
  expect(await call('PUT', SETTING, { ...DEFAULT_STORAGE_SETTINGS, keepDays: 31, rev: 0 })).toMatchObject({
    code: 400,
    data: { field: 'keepDays' },
  })
  const changed = { ...DEFAULT_STORAGE_SETTINGS, keepDays: 0, noticeDays: [1, 15, 1] }
  expect(await call('PUT', SETTING, { ...changed, rev: 0 })).toMatchObject({ code: 200, msg: '保存成功' })
  expect((await call('GET', SETTING)).data).toEqual({ ...changed, noticeDays: [15, 1], rev: 1 })
  const { rows } = await app.db.execute<{ diff: { field: string }[] }>(
    sql`select diff from oper_logs where biz_type = 'storageSetting' and diff is not null`,
  )
  expect(rows.flatMap(({ diff }) => diff.map(({ field }) => field)).sort()).toEqual(['keepDays', 'noticeDays'])
  await save({})
})

test('of parallel saves of storage settings or ticket time limits with one revision, exactly one is stored', async () => {
  for (const url of [SETTING, '/api/v1/feedback/sla']) {
    const { data } = await call('GET', url)
    const saved = await Promise.all(Array.from({ length: 5 }, () => call('PUT', url, data)))
    expect(saved.map(({ code }) => code).sort()).toEqual([200, 400, 400, 400, 400])
    expect((await call('GET', url)).data.rev).toBe(data.rev + 1)
  }
})

test('STORAGE-02 the list separates expired entitlements with stored videos from those with deleted videos', async () => {
  const [kept, gone, current] = [await newDevice(), await newDevice(), await newDevice()]
  // W1 lasts seven days.
  setNow(Date.now() - 10 * DAY_MS)
  await open([kept], 'W1')
  setNow(Date.now() - 20 * DAY_MS)
  await open([gone], 'W1')
  setNow(Date.now())
  await open([current], 'W1')
  const shown = async (state: number) =>
    (await call('GET', `${URL}/page?serviceState=${state}`)).data.list.map(({ sn }: { sn: string }) => sn)
  expect(await shown(1)).toEqual([current])
  expect(await shown(3)).toEqual([kept])
  expect(await shown(4)).toEqual([gone])
  const stateOf = async (sn: string) => (await call('GET', `${URL}/queue?sn=${sn}`)).data.channels[0].serviceState
  expect([await stateOf(current), await stateOf(kept), await stateOf(gone)]).toEqual([1, 3, 4])
})

test('STORAGE-01 the list of packages counts current and opened entitlements, and counts a transferred entitlement once', async () => {
  at('2026-05-01')
  const [from, to] = [await newDevice(), await newDevice()]
  await open([from], 'W1')
  const [moved] = await rowsOf(from)
  const transfer = { items: [{ id: moved!.id, targetSn: to }], reason: '换机' }
  expect(await call('POST', `${URL}/transfer`, transfer)).toMatchObject({ code: 200 })
  const { data } = await call('GET', '/api/v1/oss/package/page?packageCode=W1')
  const total = async (filter: string) =>
    (await call('GET', `${URL}/page?packageId=${packages['W1']}${filter}`)).data.total
  expect(data.list[0]).toMatchObject({ inForce: await total('&state=1'), openedCount: await total('&flow=9') })
  expect(data.list[0].openedCount).toBe(4)
})

test('STORAGE-13 used space and uploads equal the stored segments, and the list shows them per channel', async () => {
  // Noon of the current day, so that the test does not depend on the time of the run.
  const noon = Date.parse(`${dayOf(Date.now())}T04:00:00Z`)
  setNow(noon)
  const sn = await newDevice()
  await open([sn], 'M1')
  const { rows } = await app.db.execute<{ id: number }>(sql`select id from devices where sn = ${sn}`)
  await app.db.execute(sql`update devices set owner_time = null`)
  const writer = new SegmentWriter(app.services.database.pool)
  const zone = app.services.config.timeZone
  const [entitlement] = await rowsOf(sn)
  const under = { recordType: 1, entitlementId: entitlement!.id }
  const terms = { ...under, modelId: 1, tenantId: 1, ownerId: 0, eventNo: 0, eventType: 0 }
  const place = {
    deviceId: rows[0]!.id,
    channel: 0,
    durationMs: 4000,
    session: 1,
    initBytes: 0,
    salt: 7,
    format: 1 as const,
  }
  const add = (startMs: number, bytes: number) =>
    writer.add({ ...terms, ...place, startMs, bytes, seq: 1, ...computeSegmentDays(startMs, 7, zone) })
  const stored = await Promise.all([add(noon, 3000), add(noon - DAY_MS, 500)])
  await writer.close()
  expect(stored).toEqual(['stored', 'stored'])
  const stat = async (name: string) =>
    (await call('GET', `/api/v1/oss/statistics/${name}?startDate=${dayOf(noon - 3 * DAY_MS)}&endDate=${dayOf(noon)}`))
      .data
  expect(await stat('summary')).toMatchObject({ storedBytes: 3500, todayBytes: 3000 })
  // The storage time of the older video ends first.
  setNow(noon + 7 * DAY_MS)
  expect(await stat('summary')).toMatchObject({ storedBytes: 3000 })
  setNow(noon)
  expect((await stat('usage')).days.map(({ bytes }: { bytes: number }) => bytes)).toEqual([0, 0, 500, 3000])
  const { data } = await call('GET', `${URL}/page?sn=${sn}`)
  expect(data.list).toMatchObject([{ usedBytes: 3500 }])
})

test('unbinding a device keeps its packages running, or suspends them when onUnbind is set so', async () => {
  setNow(Date.now())
  const sn = await newDevice()
  await open([sn], 'M1', { channels: [0, 1], copies: 2 })
  const { rows } = await app.db.execute<{ uid: number; id: number }>(sql`with made as (
    insert into app_accounts (tenant_id, account) values (1, 'li') returning uid)
    select made.uid, d.id from made, devices d where d.sn = ${sn}`)
  const { uid, id } = rows[0]!
  const unbind = async () => {
    await call('POST', '/api/v1/account/app/bind', { id: uid, sn })
    expect((await call('POST', '/api/v1/account/app/unbind', { id: uid, deviceId: id })).code).toBe(200)
    const list = (await call('GET', `${URL}/page?sn=${sn}&pageSize=200`)).data.list as { state: number }[]
    return list.map(({ state }) => state).sort()
  }
  expect(await unbind()).toEqual([0, 0, 1, 1])
  await save({ onUnbind: 2 })
  expect(await unbind()).toEqual([0, 0, 3, 3])
  expect(await unbind()).toEqual([0, 0, 3, 3])
  expect(await breaches()).toEqual([])
  await save({})
})

test('settings that were stored without a field are read with its default', async () => {
  const { onUnbind: _new, ...stored } = { ...DEFAULT_STORAGE_SETTINGS, keepDays: 3 }
  await app.db.execute(sql`update settings set value = ${JSON.stringify(stored)}::jsonb where key = 'storage'`)
  expect((await call('GET', SETTING)).data).toMatchObject({ ...DEFAULT_STORAGE_SETTINGS, keepDays: 3 })
  await save({})
})
