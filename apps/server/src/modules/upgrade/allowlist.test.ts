import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { devices } from '#modules/device/schema.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { registerAllowlistJob, removeDevicesInSteps } from './allowlist.ts'
import { otaWhites } from './schema.ts'
import {
  insertDevices,
  createEnabledVersion,
  RELEASE_PERMISSIONS,
  readTenantId,
  insertVersion,
} from './upgrade-fixture.ts'

const server = useApp()
const WHITE = '/api/v1/device/ota/white'
const page = async (me: Caller, which: 'inWhite' | 'notInWhite', query: Record<string, string | number>) => {
  const search = new URLSearchParams(query as Record<string, string>)
  const answer = await me.call('GET', `/api/v1/device/ota/device/page/${which}?${search}`)
  expect(answer.code, answer.msg).toBe(200)
  return answer.data as {
    total: number
    list: { deviceId: number; sn: string; whiteTime: string | null; whiteByName: string }[]
  }
}

let me: Caller
beforeAll(async () => {
  me = await server.as(...RELEASE_PERMISSIONS)
  registerAllowlistJob(server.services)
})

describe('allowlist', () => {
  test('OTA-13 each device is listed either on the allowlist or as a candidate, and the list shows who added it', async () => {
    const { otaId, modelId } = await createEnabledVersion(server.db)
    const ids = await insertDevices(server.db, { modelId, count: 30, prefix: 'WA' })
    const other = await createEnabledVersion(server.db)
    await insertDevices(server.db, { modelId: other.modelId, count: 3, prefix: 'WB' })
    const put = await me.call('PUT', WHITE, { otaId, ids: ids.slice(0, 12) })
    expect(put).toMatchObject({
      code: 200,
      msg: '加入成功！新加入 12 台',
      data: { count: 12, unchanged: 0, missing: [] },
    })
    const inside = await page(me, 'inWhite', { otaId, pageSize: 50 })
    const outside = await page(me, 'notInWhite', { otaId, pageSize: 50 })
    expect([inside.total, outside.total]).toEqual([12, 18])
    const shown = [...inside.list, ...outside.list].map(({ deviceId }) => deviceId)
    expect(shown.toSorted((a, b) => a - b)).toEqual(ids)
    expect(inside.list.every(({ whiteTime, whiteByName }) => whiteTime && whiteByName.startsWith('测试'))).toBe(true)
    expect(outside.list.every(({ whiteTime }) => whiteTime === null)).toBe(true)
  })

  test('OTA-13 the allowlist and the candidate list support the device filters, paging and sorting', async () => {
    const { otaId, modelId } = await createEnabledVersion(server.db)
    await insertDevices(server.db, { modelId, count: 25, prefix: 'WC' })
    await insertDevices(server.db, { modelId, count: 5, prefix: 'WD', verCode: 7 })
    expect((await page(me, 'notInWhite', { otaId, sn: 'WC0001' })).total).toBe(10)
    expect((await page(me, 'notInWhite', { otaId, verCodeMin: 5 })).total).toBe(5)
    expect((await page(me, 'notInWhite', { otaId, sns: 'WC00001\nWC00002 无此设备' })).total).toBe(2)
    const sorted = await page(me, 'notInWhite', { otaId, pageSize: 10, pageNum: 3, orderByColumn: 'sn', isAsc: 'asc' })
    expect(sorted.list.map(({ sn }) => sn)).toEqual([...range('WC', 21, 25), ...range('WD', 1, 5)])
  })

  test('OTA-13 devices are removed by id and by serial number, with the message 移除成功！', async () => {
    const { otaId, modelId } = await createEnabledVersion(server.db)
    const ids = await insertDevices(server.db, { modelId, count: 6, prefix: 'WE' })
    await me.call('PUT', WHITE, { otaId, ids })
    const gone = await me.call('DELETE', `${WHITE}?otaId=${otaId}&ids=${ids[0]}&ids=${ids[1]}`)
    expect(gone).toMatchObject({ code: 200, msg: '移除成功！', data: { count: 2 } })
    const bySn = await me.call('DELETE', `${WHITE}?otaId=${otaId}&sns=WE00003,WE00004,WE99999`)
    expect(bySn).toMatchObject({ code: 200, msg: '移除成功！', data: { count: 2, missing: ['WE99999'] } })
    expect((await page(me, 'inWhite', { otaId })).list.map(({ sn }) => sn)).toEqual(['WE00006', 'WE00005'])
    expect(await me.call('PUT', WHITE, { otaId })).toMatchObject({ code: 400, msg: '请选择设备或输入序列号' })
  })

  test('OTA-13 pasted serial numbers are reported as added, already listed or not eligible for the version', async () => {
    const { otaId, modelId } = await createEnabledVersion(server.db)
    await insertDevices(server.db, { modelId, count: 3, prefix: 'WF' })
    const other = await createEnabledVersion(server.db)
    await insertDevices(server.db, { modelId: other.modelId, count: 1, prefix: 'WG' })
    await me.call('PUT', WHITE, { otaId, sns: ['WF00001'] })
    const answer = await me.call('PUT', WHITE, { otaId, sns: 'WF00001\nWF00002\n\nWF00003\nWG00001\nnone' })
    expect(answer).toMatchObject({ msg: '加入成功！新加入 2 台，1 台已在白名单中，2 个序列号未找到' })
    expect(answer.data).toEqual({ count: 2, unchanged: 1, missing: ['WG00001', 'none'] })
  })

  test('OTA-13 all devices that match a filter can be added and removed', async () => {
    const { otaId, modelId } = await createEnabledVersion(server.db)
    await insertDevices(server.db, { modelId, count: 300, prefix: 'WH' })
    await insertDevices(server.db, { modelId, count: 200, prefix: 'WI' })
    const put = await me.call('PUT', `${WHITE}/all`, { otaId, sn: 'WH' })
    const long = '加入成功！新加入 300 台；白名单超过 100 台，须由另一人核对后继续'
    expect(put).toMatchObject({ code: 200, msg: long, data: { count: 300 } })
    expect((await me.call('PUT', `${WHITE}/all`, { otaId })).data.count).toBe(200)
    const gone = await me.call('DELETE', `${WHITE}/all?otaId=${otaId}&sn=WI`)
    expect(gone).toMatchObject({ code: 200, msg: '移除成功！', data: { count: 200 } })
    expect((await page(me, 'inWhite', { otaId })).total).toBe(300)
    expect((await me.call('DELETE', `${WHITE}/all?otaId=${otaId}`)).data.count).toBe(300)
  })

  test('OTA-13 more than 20,000 devices are changed by a job of the caller, and only one job runs at a time', async () => {
    const { otaId, modelId } = await createEnabledVersion(server.db)
    await insertDevices(server.db, { modelId, count: 20_001, prefix: 'WJ' })
    const put = await me.call('PUT', `${WHITE}/all`, { otaId })
    expect(put).toMatchObject({ code: 200, msg: '设备超过 20000 台，已转为后台加入', data: { count: 0 } })
    const again = await me.call('PUT', `${WHITE}/all`, { otaId })
    expect(again).toMatchObject({ code: 501, msg: '该版本的白名单正在调整，请等待完成' })
    await server.services.jobs.drain()
    const job = await me.call('GET', `/api/v1/account/job/${put.data.jobId}`)
    expect(job.data).toMatchObject({ state: 'done', rows: 20_001 })
    expect(
      await server.db.execute(sql`select count(*)::int as n from ota_whites where ota_id = ${otaId}`),
    ).toMatchObject({
      rows: [{ n: 20_001 }],
    })
    const gone = await me.call('DELETE', `${WHITE}/all?otaId=${otaId}`)
    expect(gone).toMatchObject({ msg: '设备超过 20000 台，已转为后台移出', data: { count: 0 } })
    await server.services.jobs.drain()
    expect((await me.call('GET', `/api/v1/account/job/${gone.data.jobId}`)).data).toMatchObject({
      state: 'done',
      rows: 20_001,
    })
    expect((await page(me, 'inWhite', { otaId })).total).toBe(0)
  })

  test('OTA-13 a long list is removed in id ranges with progress, and only the selected devices are removed', async () => {
    const { otaId, modelId } = await createEnabledVersion(server.db)
    await insertDevices(server.db, { modelId, count: 12_000, prefix: 'WS' })
    await server.db.execute(
      sql`insert into ota_whites (ota_id, device_id) select ${otaId}, id from devices where model_id = ${modelId}`,
    )
    const heard: number[] = []
    const onProgress = async (part: number) => void heard.push(part)
    const devicesMeant = sql`${devices.sn} not like 'WS%0'`
    expect(await server.db.transaction((db) => removeDevicesInSteps(db, otaId, { devicesMeant, onProgress }))).toBe(
      10_800,
    )
    expect(heard.map((part) => part.toFixed(2))).toEqual(['0.33', '0.67', '1.00'])
    expect(await server.db.$count(otaWhites, eq(otaWhites.otaId, otaId))).toBe(1200)
    expect(
      await server.db.transaction((db) => removeDevicesInSteps(db, otaId, { devicesMeant: sql`true`, onProgress })),
    ).toBe(1200)
    expect(
      await server.db.transaction((db) => removeDevicesInSteps(db, otaId, { devicesMeant: sql`true`, onProgress })),
    ).toBe(0)
  })

  test('OTA-13 a tenant changes only its own devices, and only on versions that it can see', async () => {
    const theirs = await server.by({ tenant: '白名单客户', permissions: RELEASE_PERMISSIONS })
    const tenantId = await readTenantId(server, '白名单客户')
    const { otaId, modelId } = await createEnabledVersion(server.db, { tenantId })
    await insertDevices(server.db, { modelId, count: 4, prefix: 'WK', tenantId })
    await insertDevices(server.db, { modelId, count: 4, prefix: 'WL' })
    expect((await page(theirs, 'notInWhite', { otaId })).total).toBe(4)
    expect((await page(me, 'notInWhite', { otaId })).total).toBe(4)
    const put = await theirs.call('PUT', WHITE, { otaId, sns: ['WK00001', 'WL00001'] })
    expect(put.data).toEqual({ count: 1, unchanged: 0, missing: ['WL00001'] })
    expect((await theirs.call('PUT', `${WHITE}/all`, { otaId })).data.count).toBe(3)
    const ours = await insertVersion(server.db, { modelId, verCode: 200 })
    expect(await theirs.call('PUT', WHITE, { otaId: ours, sns: ['WK00001'] })).toMatchObject({
      code: 400,
      msg: '版本不存在或已被删除',
    })
    expect((await page(me, 'notInWhite', { otaId: ours })).total).toBe(8)
  })
})

test('an allowlist of more than 100 devices pauses the release until a third person resumes it', async () => {
  const other = await server.as(...RELEASE_PERMISSIONS)
  const { otaId, modelId } = await createEnabledVersion(server.db, { createBy: me.uid })
  await insertDevices(server.db, { modelId, count: 101, prefix: 'WM' })
  const state = async () =>
    (await server.db.execute(sql`select state, audit_by as "auditBy" from ota_policies where ota_id = ${otaId}`))
      .rows[0]
  await other.call('PUT', `${WHITE}/all`, { otaId, sn: 'WM0000' })
  expect(await state()).toEqual({ state: 0, auditBy: null })
  await other.call('PUT', `${WHITE}/all`, { otaId })
  expect(await state()).toEqual({ state: 3, auditBy: null })
  const resume = (who: Caller) => who.call('POST', '/api/v1/upgrade/release/resume', { otaId })
  expect(await resume(other)).toMatchObject({ code: 501, msg: '不能审批自己提交的发布，请由另一人审批' })
  expect(await resume(me)).toMatchObject({ code: 501, msg: '您是该版本的创建人，请由另一人审批' })
  for (const mode of [1, 2])
    expect(await other.call('POST', '/api/v1/upgrade/release/publish', { otaId, rev: 1, mode })).toMatchObject({
      code: 501,
    })
  const third = await server.as(...RELEASE_PERMISSIONS)
  expect(await resume(third)).toMatchObject({ code: 200 })
  expect(await state()).toEqual({ state: 0, auditBy: third.uid })
})

const range = (prefix: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${prefix}${String(from + index).padStart(5, '0')}`)

test('OTA-14 release notes of the enabled versions of a model are listed newest first', async () => {
  const { otaId, modelId } = await createEnabledVersion(server.db)
  const draft = await insertVersion(server.db, { modelId, verCode: 101 })
  await server.db.execute(sql`update ota_versions set status = 0 where ota_id = ${draft}`)
  const later = await insertVersion(server.db, { modelId, verCode: 102 })
  await server.db.execute(sql`update ota_versions set release_date = '2021-01-01 00:00:00' where ota_id = ${later}`)
  const { data } = await me.call('GET', `/api/v1/device/ota/verComments?modelId=${modelId}`)
  expect(data).toEqual([
    expect.objectContaining({ otaId: later, verCode: 102, description: '修复夜视' }),
    expect.objectContaining({ otaId, verCode: 100, modelId, packageName: '', releaseDate: '2020-01-01 00:00:00' }),
  ])
  expect((await me.call('GET', '/api/v1/device/ota/verComments')).data.length).toBeGreaterThan(2)
})

test('OTA-14 the search for tenants matches a part of the name, and a tenant finds only itself', async () => {
  const theirs = await server.by({ tenant: '远山安防', permissions: RELEASE_PERMISSIONS })
  await server.by({ tenant: '远水物联' })
  const names = async (who: Caller, name: string) =>
    (await who.call('GET', `/api/v1/device/ota/tenant/list?name=${encodeURIComponent(name)}`)).data.map(
      (tenant: { name: string }) => tenant.name,
    )
  expect(await names(me, '远')).toEqual(['远山安防', '远水物联'])
  expect(await names(me, '%')).toEqual([])
  expect(await names(theirs, '')).toEqual(['远山安防'])
})
