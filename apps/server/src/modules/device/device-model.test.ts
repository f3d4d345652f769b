import { beforeAll, describe, expect, test } from 'vitest'
import { files } from '#core/schema/system.ts'
import { otaVersions } from '#modules/upgrade/schema.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { deviceModels, devices, deviceTypes } from './schema.ts'

const app = useApp()
const TYPE = '/api/v1/device/type'
const MODEL = '/api/v1/device/model'
let admin: Caller
let made = 0

beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
})

async function newType(over: object = {}) {
  made += 1
  const input = { typeName: `类型${made}`, typeCode: `type-${made}`, sort: made, ...over }
  const { data } = await admin.call('POST', TYPE, input)
  return { id: data.id as number, ...input }
}
async function newModel(typeId: number, over: object = {}) {
  made += 1
  const input = { typeId, modelName: `型号${made}`, modelCode: `M-${made}`, ...over }
  const { data } = await admin.call('POST', MODEL, input)
  return { id: data.id as number, ...input }
}
const newDevices = (modelId: number, list: { sn: string; verCode?: number; online?: number; tenantId?: number }[]) =>
  app.db.insert(devices).values(list.map((device) => ({ tenantId: 1, modelId, ...device })))

describe('device types', () => {
  test('MODULE-01 a device type can be created, found, sorted, changed, disabled and deleted', async () => {
    const { id, typeName, typeCode } = await newType({ icon: 'bell', remark: '可视' })
    const shown = await admin.call('GET', `${TYPE}/page?typeName=${encodeURIComponent(typeName)}`)
    expect(shown.data).toMatchObject({
      total: 1,
      list: [{ id, typeName, typeCode, icon: 'bell', status: 1, modelCount: 0, deviceCount: 0, rev: 0 }],
    })
    const changed = { id, typeName: `${typeName}新`, typeCode, icon: '', sort: 3, status: 1, remark: '', rev: 0 }
    expect(await admin.call('PUT', TYPE, changed)).toMatchObject({ code: 200, data: { rev: 1 } })
    expect(await admin.call('PUT', TYPE, changed)).toMatchObject({ code: 400, data: { conflict: { rev: 1 } } })
    expect(await admin.call('POST', `${TYPE}/disable/${id}`)).toMatchObject({ code: 200, msg: '已停用' })
    expect((await admin.call('GET', `${TYPE}/${id}`)).data).toMatchObject({ status: 0, rev: 2 })
    expect((await admin.call('GET', `${TYPE}/page?status=0&typeCode=${typeCode}`)).data.total).toBe(1)
    expect(await admin.call('DELETE', `${TYPE}/${id}`)).toMatchObject({ code: 200, msg: '删除成功' })
    expect(await admin.call('GET', `${TYPE}/${id}`)).toMatchObject({ code: 400, msg: '设备类型不存在或已被删除' })
  })

  test.each([
    [{ typeName: ' ' }, '请输入类型名称', 'typeName'],
    [{ typeCode: '中文' }, '类型编码只能包含字母、数字和 _ . -', 'typeCode'],
    [{ icon: 'rocket' }, '图标不正确', 'icon'],
    [{ sort: -1 }, '排序不能小于0', 'sort'],
  ])('a device type with %o is refused: %s', async (over, msg, field) => {
    const input = { typeName: '某类', typeCode: 'some', ...over }
    expect(await admin.call('POST', TYPE, input)).toEqual({ code: 400, msg, data: { field } })
  })

  test('names and codes of device types are unique, and the error names the field', async () => {
    const { typeName, typeCode } = await newType()
    expect(await admin.call('POST', TYPE, { typeName, typeCode: 'other-1' })).toEqual({
      code: 400,
      msg: '类型名称已存在',
      data: { field: 'typeName' },
    })
    expect((await admin.call('POST', TYPE, { typeName: '别名', typeCode })).data).toEqual({ field: 'typeCode' })
  })

  test('a device type with models cannot be deleted, and the message counts the models', async () => {
    const { id } = await newType()
    const one = await newModel(id)
    const two = await newModel(id)
    await newDevices(one.id, [{ sn: `T${id}A` }, { sn: `T${id}B` }])
    const { data } = await admin.call('GET', `${TYPE}/${id}`)
    expect(data).toMatchObject({ modelCount: 2, deviceCount: 2 })
    expect((await admin.call('DELETE', `${TYPE}/${id}`)).msg).toBe('该类型下还有2个型号，请先删除型号或改到其他类型')
    await app.db.delete(devices)
    for (const model of [one, two]) await admin.call('DELETE', `${MODEL}/${model.id}`)
    expect((await admin.call('DELETE', `${TYPE}/${id}`)).code).toBe(200)
  })

  test('tenants can read device types and models but not change them', async () => {
    const { id } = await newType()
    const customer = await app.by({
      tenant: '甲公司',
      permissions: ['device:_manage:list', 'device:_manage:add', 'device:_manage:edit', 'device:_manage:remove'],
    })
    expect((await customer.call('GET', `${TYPE}/page`)).code).toBe(200)
    const said = { code: 501, msg: '您没有权限！' }
    expect(await customer.call('POST', TYPE, { typeName: '自建', typeCode: 'own' })).toMatchObject(said)
    expect(await customer.call('DELETE', `${TYPE}/${id}`)).toMatchObject(said)
  })

  test('the export contains the filtered device types', async () => {
    const { typeName } = await newType({ remark: '出口' })
    const reply = await admin.inject({
      method: 'GET',
      url: `${TYPE}/export?format=csv&typeName=${encodeURIComponent(typeName)}`,
    })
    expect(reply.body).toContain(typeName)
    expect(reply.body.trim().split('\n')).toHaveLength(2)
  })
})

describe('device models', () => {
  test('MODULE-01 a device model can be created, found, changed, disabled and deleted', async () => {
    const type = await newType()
    const model = await newModel(type.id, { hwVersion: 'V2', chip: 'RK3566' })
    const { data } = await admin.call('GET', `${MODEL}/page?chip=rk35&typeId=${type.id}`)
    expect(data.list).toMatchObject([
      { id: model.id, typeName: type.typeName, hwVersion: 'V2', deviceCount: 0, currentVerCode: null, versionCount: 0 },
    ])
    const { list } = (await admin.call('GET', `${MODEL}/page?typeId=${type.id}`)).data
    const next = { ...model, chip: 'RK3588', picture: '', status: 1, hwVersion: 'V3', remark: '', rev: list[0].rev }
    expect(await admin.call('PUT', MODEL, next)).toMatchObject({ code: 200, data: { rev: 1 } })
    expect((await admin.call('GET', `${MODEL}/${model.id}`)).data).toMatchObject({ chip: 'RK3588', hwVersion: 'V3' })
    expect((await admin.call('POST', `${MODEL}/disable/${model.id}`)).code).toBe(200)
    expect((await admin.call('DELETE', `${MODEL}/${model.id}`)).code).toBe(200)
    expect((await admin.call('GET', `${MODEL}/page?typeId=${type.id}`)).data.total).toBe(0)
  })

  test('a device model shows its number of devices, its current version and the installed versions', async () => {
    const { id: typeId } = await newType()
    const model = await newModel(typeId)
    const spare = await newModel(typeId)
    await newDevices(model.id, [
      { sn: `S${model.id}1`, verCode: 100, online: 1 },
      { sn: `S${model.id}2`, verCode: 100 },
      { sn: `S${model.id}3`, verCode: 101 },
      { sn: `S${model.id}4` },
    ])
    const version = { tenantId: 1, modelId: model.id, releaseDate: '2026-01-01 00:00:00' }
    await app.db.insert(otaVersions).values([
      { ...version, verCode: 100, verName: '一号', status: 1 },
      { ...version, verCode: 101, verName: '二号', status: 1 },
      { ...version, verCode: 102, verName: '草稿', status: 0 },
      { ...version, verCode: 900, verName: '应用', status: 1, kind: 2, packageName: 'app' },
    ])
    const { list } = (await admin.call('GET', `${MODEL}/page?typeId=${typeId}`)).data
    expect(list).toMatchObject([
      { id: spare.id, deviceCount: 0 },
      { deviceCount: 4, onlineCount: 1, versionCount: 3, currentVerCode: 101, currentVerName: '二号' },
    ])
    expect((await admin.call('GET', `${MODEL}/spread/${model.id}`)).data).toEqual({
      total: 4,
      others: 0,
      list: [
        { verCode: 101, verName: '二号', devices: 1, online: 0 },
        { verCode: 100, verName: '一号', devices: 2, online: 1 },
        { verCode: null, verName: '', devices: 1, online: 0 },
      ],
    })
    expect((await admin.call('DELETE', `${MODEL}/${model.id}`)).msg).toBe(
      '还有4台设备、4个升级版本使用该型号，不能删除',
    )
    const reply = await admin.inject({ method: 'GET', url: `${MODEL}/export?format=csv&typeId=${typeId}` })
    expect(reply.body).toContain('二号')
  })

  test('the device models show a tenant the number of its own devices only', async () => {
    const { id: typeId } = await newType()
    const model = await newModel(typeId)
    const customer = await app.by({ tenant: '乙公司', permissions: ['device:updateManage:list'] })
    const { rows } = await app.services.database.pool.query<{ id: number }>(
      `select id from tenants where name = '乙公司'`,
    )
    await newDevices(model.id, [{ sn: `C${model.id}1` }, { sn: `C${model.id}2`, tenantId: rows[0]!.id }])
    const shown = await customer.call('GET', `${MODEL}/page?typeId=${typeId}`)
    expect(shown.data.list).toMatchObject([{ id: model.id, deviceCount: 1 }])
  })

  test('the picture of a model must be uploaded by the account, and is kept while a model uses it', async () => {
    const { id: typeId } = await newType()
    const file = { tenantId: 1, purpose: 'image', name: 'a.png', size: 10, md5: 'm', sha1: 's', sha256: 'x' }
    const [own, foreign] = ['1'.repeat(32), '2'.repeat(32)]
    await app.db.insert(files).values([
      { ...file, id: own, uid: admin.uid },
      { ...file, id: foreign, uid: 999_999 },
    ])
    const input = { typeId, modelName: '带图', modelCode: 'PIC', picture: `/api/v1/file/${foreign}` }
    const refusal = { code: 400, msg: '图片不正确，请重新上传', data: { field: 'picture' } }
    expect(await admin.call('POST', MODEL, input)).toEqual(refusal)
    const model = await newModel(typeId, { picture: `/api/v1/file/${own}` })
    const used = async () => {
      const rows = await app.db.select().from(files)
      return rows.find(({ id }) => id === own)?.usedTime ?? null
    }
    expect(await used()).not.toBeNull()
    expect((await admin.call('PUT', MODEL, { ...model, picture: '', rev: 0 })).code).toBe(200)
    expect(await used()).toBeNull()
  })

  test('a deleted or disabled device type accepts no new models', async () => {
    const type = await newType({ status: 0 })
    const said = { code: 400, msg: '设备类型不存在或已停用', data: { field: 'typeId' } }
    const input = { modelName: '新', modelCode: 'NEW' }
    expect(await admin.call('POST', MODEL, { ...input, typeId: type.id })).toEqual(said)
    expect(await admin.call('POST', MODEL, { ...input, typeId: 999_999 })).toEqual(said)
  })

  test('a page with several models needs as many SQL queries as a page with one model', async () => {
    const { id: typeId } = await newType()
    const pages = []
    for (const count of [1, 9]) {
      for (let i = 0; i < count; i++) await newModel(typeId)
      let queries = 0
      const { pool } = app.services.database
      const connect = pool.query.bind(pool)
      pool.query = ((...args: Parameters<typeof connect>) => {
        queries += 1
        return connect(...args)
      }) as typeof pool.query
      await admin.call('GET', `${MODEL}/page?typeId=${typeId}`)
      pool.query = connect as typeof pool.query
      pages.push(queries)
    }
    expect(pages[1]).toBe(pages[0])
  })
})

test('when a type is deleted while a model of the type is created, one of both calls is refused', async () => {
  const { id: typeId } = await newType()
  const answers = await Promise.all([
    admin.call('DELETE', `${TYPE}/${typeId}`),
    admin.call('POST', MODEL, { typeId, modelName: '竞争', modelCode: 'RACE' }),
  ])
  const types = await app.db.select().from(deviceTypes)
  const models = await app.db.select().from(deviceModels)
  const isGone = types.find(({ id }) => id === typeId)?.deletedAt !== null
  expect(models.some((model) => model.typeId === typeId)).toBe(!isGone)
  expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
})
