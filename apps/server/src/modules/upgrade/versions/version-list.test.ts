import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import {
  createComponent,
  createVersion,
  FIRMWARE_PERMISSIONS,
  createModel,
  readVersion,
  saveVersion,
  uploadComponent,
  buildVersion,
} from './version-fixture.ts'

const server = useApp()
const editor = () => server.as(...FIRMWARE_PERMISSIONS)
/** A new model; only platform accounts may create models. */
const platformModel = async () => createModel(await server.as('upgrade:ota:add'))

describe('tenants and permissions', () => {
  test('another tenant can neither see a version nor use its uploads', async () => {
    const mine = await server.by({ tenant: '甲公司', permissions: FIRMWARE_PERMISSIONS })
    const theirs = await server.by({ tenant: '乙公司', permissions: FIRMWARE_PERMISSIONS })
    const { otaId, modelId, components } = await createVersion(mine, { modelId: await platformModel() })
    const missing = { code: 400, msg: '固件版本不存在或已被删除', data: null }
    const { otaVersion } = await readVersion(mine, otaId)
    expect((await theirs.call('GET', `/api/v1/device/ota?modelId=${modelId}`)).data).toMatchObject({
      list: [],
      total: 0,
    })
    expect(await theirs.call('GET', `/api/v1/device/ota/ver/${otaId}`)).toEqual(missing)
    expect(await saveVersion(theirs, { otaVersion, components })).toEqual(missing)
    expect(await theirs.call('DELETE', `/api/v1/device/ota/ver/${otaId}`)).toEqual(missing)
    expect(await theirs.call('POST', `/api/v1/device/ota/ver/enable/${otaId}`)).toEqual(missing)
    expect(await theirs.call('POST', `/api/v1/device/ota/ver/disable/${otaId}`)).toEqual(missing)
    const stolen = await theirs.call('POST', '/api/v1/device/ota/ver', {
      otaVersion: buildVersion(modelId),
      components,
    })
    expect(stolen).toMatchObject({ code: 400, msg: '组件文件不存在或不属于当前客户，请重新上传' })
    expect((await mine.call('POST', `/api/v1/device/ota/ver/enable/${otaId}`)).code).toBe(200)
    expect(
      (await theirs.call('POST', '/api/v1/device/ota/ver', { otaVersion: buildVersion(modelId), components: [] })).code,
    ).toBe(200)
  })

  test('a file that was uploaded for another purpose is refused as a component', async () => {
    const me = await editor()
    const { data } = await uploadComponent(me, randomBytes(10))
    const id = data.url.slice(-32)
    await server.services.database.pool.query(`update files set purpose = 'file' where id = $1`, [id])
    const answer = await me.call('POST', '/api/v1/device/ota/ver', {
      otaVersion: buildVersion(await createModel(me)),
      components: [{ ...data, name: '主程序' }],
    })
    expect(answer).toMatchObject({ code: 400, msg: '组件文件不存在或不属于当前客户，请重新上传' })
  })

  test('a component that staff upload belongs to the tenant of the edited version', async () => {
    const mine = await server.by({ tenant: '丙公司', permissions: FIRMWARE_PERMISSIONS })
    const staff = await editor()
    const { otaId } = await createVersion(mine, { modelId: await platformModel() }, [])
    const { otaVersion } = await readVersion(staff, otaId)
    expect((await saveVersion(staff, { otaVersion, components: [await createComponent(staff)] })).code).toBe(200)
    expect((await mine.call('POST', `/api/v1/device/ota/ver/enable/${otaId}`)).code).toBe(200)
  })

  test('the operation log records every change of a version with the digests of its files', async () => {
    const me = await editor()
    const { otaId, components } = await createVersion(me)
    await me.call('POST', `/api/v1/device/ota/ver/enable/${otaId}`)
    const { rows } = await server.services.database.pool.query(
      `select title, action, diff, status from oper_logs where biz_type = 'ota' and biz_id = $1 order by oper_id`,
      [String(otaId)],
    )
    expect(rows.map(({ title }) => title)).toEqual(['新增固件版本', '启用固件版本'])
    const { sha256, md5, sha1 } = components[0] as { sha256: string; md5: string; sha1: string }
    for (const { diff } of rows) for (const hash of [sha256, md5, sha1]) expect(JSON.stringify(diff)).toContain(hash)
  })
})

describe('lists', () => {
  test('OTA-01 the list filters by name, number, status and release, and sorts by the sortable columns', async () => {
    const me = await server.by({ tenant: '丁公司', permissions: FIRMWARE_PERMISSIONS })
    const modelId = await platformModel()
    const add = (verCode: number, verName: string, releaseDate: string) =>
      me.call('POST', '/api/v1/device/ota/ver', {
        otaVersion: buildVersion(modelId, { verCode, verName, releaseDate }),
        components: [],
      })
    await add(3, '100%版', '2030-03-01 00:00:00')
    await add(1, 'Alpha', '2030-01-31 23:59:59')
    await add(2, 'beta', '2030-02-01 00:00:00')
    const codes = async (query: string) =>
      (await me.call('GET', `/api/v1/device/ota?${query}`)).data.list.map(({ verCode }: { verCode: number }) => verCode)
    expect(await codes('')).toEqual([2, 1, 3])
    expect(await codes('verName=ALPHA')).toEqual([1])
    expect(await codes('verName=%25')).toEqual([3])
    expect(await codes('verCode=2')).toEqual([2])
    expect(await codes('status=1')).toEqual([])
    expect(await codes('status=')).toEqual([2, 1, 3])
    expect(await codes('beginTime=2030-01-31&endTime=2030-02-01')).toEqual([2, 1])
    expect(await codes('orderByColumn=verCode&isAsc=asc')).toEqual([1, 2, 3])
    expect(await codes('orderByColumn=releaseDate&isAsc=desc&pageSize=2')).toEqual([3, 2])
    expect(await codes('orderByColumn=updateTime&isAsc=asc')).toEqual([3, 1, 2])
    expect(await me.call('GET', '/api/v1/device/ota?orderByColumn=tenantId')).toMatchObject({
      code: 400,
      msg: '排序字段不正确',
    })
    expect(await me.call('GET', '/api/v1/device/ota?beginTime=2030-99-99')).toMatchObject({
      code: 400,
      msg: '开始时间格式不正确',
    })
  })

  test('the export contains the filtered list with texts in place of codes', async () => {
    const me = await server.by({ tenant: '戊公司', permissions: FIRMWARE_PERMISSIONS })
    const modelId = await platformModel()
    await createVersion(me, { modelId, verName: '=1+1', oldVerMin: 1, oldVerMax: 9 }, [])
    await createVersion(me, { modelId, verCode: '101', verName: '另一个' }, [])
    const reply = await me.inject({ method: 'GET', url: '/api/v1/device/ota/export?format=csv&verName=1%2B1' })
    expect(reply.headers['content-disposition']).toContain(encodeURIComponent('固件版本.csv'))
    const [head, line, ...rest] = reply.body.trim().split('\r\n')
    expect(head).toContain('设备型号,版本号,版本名称,状态')
    expect(line).toContain(`100,'=1+1,草稿,0,适用 1～9`)
    expect(rest).toEqual([])
    const chosen = await me.inject({
      method: 'GET',
      url: '/api/v1/device/ota/export?format=csv&columns=verName&columns=verCode',
    })
    expect(chosen.body.split('\r\n')[0]).toBe('\ufeff版本名称,版本号')
    const xlsx = await me.inject({ method: 'GET', url: '/api/v1/device/ota/export' })
    expect(xlsx.rawPayload.subarray(0, 2).toString()).toBe('PK')
  })
})
