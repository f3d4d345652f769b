import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import {
  DEVICE_PERMISSIONS,
  addDevice,
  findSerialsByQuery,
  insertGroup,
  DEVICE_URL,
  insertModel,
  insertTenant,
} from './device-fixture.ts'

const server = useApp()
let me: Caller
let customer: Caller
let modelA: number
let modelB: number
let theirs: number

beforeAll(async () => {
  me = await server.as(...DEVICE_PERMISSIONS)
  customer = await server.by({ tenant: '云栖', permissions: DEVICE_PERMISSIONS })
  theirs = await insertTenant(server.db, '云栖')
  modelA = await insertModel(server.db, 'A1')
  modelB = await insertModel(server.db, 'B2')
  await addDevice(me, { sn: 'CAM-0001-A', modelId: modelA, devName: '大门 50%', verCode: 100, tags: ['展厅'] })
  await addDevice(me, { sn: 'CAM-0002-A', modelId: modelA, devName: '后门_侧', verCode: 99, mac: '00:1A:2B:3C:4D:5E' })
  await addDevice(me, { sn: 'BELL-0001', modelId: modelB, imei: '490154203237518', tags: ['展厅', '样机'] })
  await addDevice(me, { sn: 'CAM-0009-T', modelId: modelA, tenantId: theirs, verCode: 120 })
  await server.db.execute(sql`update devices set online = 1, uid = 'ABCD-000001-VWXYZ', region = '浙江',
    activate_time = now() where sn = 'CAM-0001-A'`)
})

test.each([
  [{}, ['CAM-0009-T', 'BELL-0001', 'CAM-0002-A', 'CAM-0001-A']],
  [{ sn: '0001' }, ['BELL-0001', 'CAM-0001-A']],
  [{ sn: 'm-000' }, ['CAM-0009-T', 'CAM-0002-A', 'CAM-0001-A']],
  [{ sn: 'be' }, ['BELL-0001']],
  [{ sn: '00' }, []],
  [{ sn: '%' }, []],
  [{ devName: '50%' }, ['CAM-0001-A']],
  [{ devName: '后' }, ['CAM-0002-A']],
  [{ devName: '门_' }, []],
  [{ devName: '门_侧' }, ['CAM-0002-A']],
  [{ mac: '001a2b3c4d5e' }, ['CAM-0002-A']],
  [{ mac: '00-1A-2B-3C-4D-5E' }, ['CAM-0002-A']],
  [{ mac: 'zz' }, []],
  [{ imei: '490154203237518' }, ['BELL-0001']],
  [{ uid: 'ABCD-000001-VWXYZ' }, ['CAM-0001-A']],
  [{ tag: '展厅' }, ['BELL-0001', 'CAM-0001-A']],
  [{ online: 1 }, ['CAM-0001-A']],
  [{ activated: 0 }, ['CAM-0009-T', 'BELL-0001', 'CAM-0002-A']],
  [{ verCodeMin: 100 }, ['CAM-0009-T', 'CAM-0001-A']],
  [{ verCodeMin: 100, verCodeMax: 110 }, ['CAM-0001-A']],
  [{ orderByColumn: 'verCode', isAsc: 'desc' }, ['CAM-0009-T', 'CAM-0001-A', 'CAM-0002-A', 'BELL-0001']],
  [{ orderByColumn: 'sn', isAsc: 'asc' }, ['BELL-0001', 'CAM-0001-A', 'CAM-0002-A', 'CAM-0009-T']],
  [{ orderByColumn: 'createTime', isAsc: 'asc', sn: 'CAM' }, ['CAM-0001-A', 'CAM-0002-A', 'CAM-0009-T']],
  [{ beginTime: '2000-01-01', endTime: '2000-01-02' }, []],
  [{ sns: 'BELL-0001\nCAM-0001-A' }, ['BELL-0001', 'CAM-0001-A']],
])('MODULE-01 the list filtered by %o contains the matching devices', async (query, expected) => {
  expect(await findSerialsByQuery(me, query as Record<string, string>)).toEqual(expected)
})

test('the list filters by model, type and tenant; its rows show their names and mask the check part of a P2P id', async () => {
  const { data } = await me.call('GET', `${DEVICE_URL}/page?modelId=${modelA}&tenantId=1&orderByColumn=sn&isAsc=asc`)
  expect(data.list[0]).toMatchObject({
    sn: 'CAM-0001-A',
    modelName: '型号A1',
    typeName: '类型A1',
    uid: 'ABCD-000001-*****',
    hasToken: false,
    tags: ['展厅'],
  })
  expect(await findSerialsByQuery(me, { typeId: data.list[0].typeId, tenantId: theirs })).toEqual(['CAM-0009-T'])
  const { data: versions } = await me.call('GET', `${DEVICE_URL}/versions/${data.list[0].id}`)
  expect(versions.list).toMatchObject([{ verCode: 100, source: 3 }])
})

test('a group of a tenant contains only devices of the tenant, a group of the platform any device', async () => {
  const put = await insertGroup(server.db, 1, '静态一组')
  const ruled = await insertGroup(server.db, 1, '动态一组', { modelIds: [modelA], verCodeMin: 100 })
  const [first] = (await me.call('GET', `${DEVICE_URL}/page?sn=BELL-0001`)).data.list
  await me.call('POST', `${DEVICE_URL}/groups`, { ids: [first.id], join: put })
  expect(await findSerialsByQuery(me, { groupId: put })).toEqual(['BELL-0001'])
  expect(await findSerialsByQuery(me, { groupId: ruled })).toEqual(['CAM-0009-T', 'CAM-0001-A'])
  expect(await findSerialsByQuery(customer, { groupId: ruled })).toEqual([])
  const theirOwn = await insertGroup(server.db, theirs, '动态二组', { verCodeMin: 100 })
  expect(await findSerialsByQuery(me, { groupId: theirOwn })).toEqual(['CAM-0009-T'])
  const [gate] = (await me.call('GET', `${DEVICE_URL}/page?sn=CAM-0001-A`)).data.list
  expect((await me.call('GET', `${DEVICE_URL}/groups/${gate.id}`)).data.list).toMatchObject([{ id: ruled, kind: 2 }])
  expect((await me.call('GET', `${DEVICE_URL}/groups/${first.id}`)).data.list).toMatchObject([{ id: put, kind: 1 }])
  const csv = await exported(me, { groupId: ruled })
  expect(csv).toContain('CAM-0001-A')
  expect(csv).not.toContain('CAM-0002-A')
})

async function exported(who: Caller, filter: object) {
  const payload = { format: 'csv', columns: ['sn', 'tags', 'online'], ...filter }
  return (await who.inject({ method: 'POST', url: `${DEVICE_URL}/export`, payload })).body
}

test('MODULE-01 the list finds pasted serial numbers and reports unknown serial numbers', async () => {
  const sns = 'CAM-0001-A\r\nBELL-0001, NOPE-1；CAM-0009-T CAM-0001-A'
  const { data } = await me.call('POST', `${DEVICE_URL}/find`, { sns })
  expect(data).toMatchObject({ total: 3, missing: ['NOPE-1'] })
  expect(data.list.map(({ sn }: { sn: string }) => sn)).toEqual(['CAM-0009-T', 'BELL-0001', 'CAM-0001-A'])
  expect(data.ids).toHaveLength(3)
  const narrowed = await me.call('POST', `${DEVICE_URL}/find`, { sns, modelId: modelB })
  expect(narrowed.data).toMatchObject({ total: 1, missing: ['NOPE-1'] })
  expect((await customer.call('POST', `${DEVICE_URL}/find`, { sns })).data).toMatchObject({
    total: 1,
    ids: [expect.any(Number)],
  })
  const many = Array.from({ length: 1001 }, (_, at) => `SN${at}`)
  expect(await me.call('POST', `${DEVICE_URL}/find`, { sns: many })).toMatchObject({
    code: 400,
    msg: '一次最多查找1000个序列号',
  })
  expect((await me.call('POST', `${DEVICE_URL}/find`, { sns: many.slice(1) })).data.missing).toHaveLength(1000)
  expect(await me.call('POST', `${DEVICE_URL}/find`, { sns: ' ' })).toMatchObject({ code: 400, msg: '请输入序列号' })
  expect(await exported(me, { sns: ['BELL-0001'] })).toContain('BELL-0001,展厅、样机,离线')
})

test('a tenant sees, opens and exports only its own devices', async () => {
  expect(await findSerialsByQuery(customer, {})).toEqual(['CAM-0009-T'])
  const [foreign] = (await me.call('GET', `${DEVICE_URL}/page?sn=BELL-0001`)).data.list
  for (const part of ['detail', 'attributes', 'versions', 'packages', 'groups'])
    expect(await customer.call('GET', `${DEVICE_URL}/${part}/${foreign.id}`)).toMatchObject({
      code: 400,
      msg: '设备不存在或已被删除',
    })
  expect(await exported(customer, {})).not.toContain('BELL-0001')
  expect((await customer.call('GET', '/api/v1/tenant/options/tenant')).data.list).toMatchObject([{ id: theirs }])
  const own = (await customer.call('GET', `${DEVICE_URL}/page`)).data.list[0]
  expect((await customer.call('GET', `${DEVICE_URL}/detail/${own.id}`)).data).toMatchObject({
    sn: 'CAM-0009-T',
    verCode: 120,
  })
})
