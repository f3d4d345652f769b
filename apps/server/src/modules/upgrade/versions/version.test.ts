import { describe, expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import {
  createComponent,
  createVersion,
  FIRMWARE_PERMISSIONS,
  createModel,
  readVersion,
  saveVersion,
  buildVersion,
} from './version-fixture.ts'

const server = useApp()
const editor = () => server.as(...FIRMWARE_PERMISSIONS)

describe('saving', () => {
  test('OTA-01 OTA-11 a version can be added, listed, read, edited and deleted, and its components are counted', async () => {
    const me = await editor()
    const { otaId, modelId, components } = await createVersion(me, {
      oldVerMin: '1',
      oldVerMax: '99',
      buildDate: '2029-12-31 10:00:00',
    })
    const { data } = await me.call('GET', `/api/v1/device/ota?pageNum=1&pageSize=10&modelId=${modelId}`)
    expect(data.total).toBe(1)
    expect(data.list[0]).toMatchObject({ otaId, verCode: 100, verName: '秋季版', components: 1, status: 0 })
    const stored = await readVersion(me, otaId)
    expect(stored.otaVersion).toMatchObject({
      modelId,
      buildDate: '2029-12-31 10:00:00',
      releaseDate: '2030-01-01 08:00:00',
      oldVerMin: 1,
      oldVerMax: 99,
      description: '',
    })
    expect(stored.components).toMatchObject(components)

    const second = await createComponent(me, { name: '说明', type: 1 })
    const otaVersion = { ...stored.otaVersion, verName: '冬季版', oldVerMax: '' }
    const answer = await saveVersion(me, { otaVersion, components: [...stored.components, second] })
    expect(answer).toMatchObject({ code: 200, msg: '修改成功', data: { rev: 1 } })
    const after = await readVersion(me, otaId)
    expect(after.otaVersion).toMatchObject({
      verName: '冬季版',
      components: 2,
      oldVerMax: null,
      buildDate: '2029-12-31 10:00:00',
    })
    expect(after.components.map(({ name }) => name)).toEqual(['主程序', '说明'])

    expect(await me.call('DELETE', `/api/v1/device/ota/ver/${otaId}`)).toMatchObject({ code: 200, msg: '删除成功' })
    expect((await me.call('GET', `/api/v1/device/ota?modelId=${modelId}`)).data.total).toBe(0)
    expect(await me.call('GET', `/api/v1/device/ota/ver/${otaId}`)).toMatchObject({
      code: 400,
      msg: '固件版本不存在或已被删除',
    })
  })

  test('OTA-01 a form-encoded body with otaVersion and components as JSON text is accepted', async () => {
    const me = await editor()
    const otaVersion = buildVersion(await createModel(me))
    const body = new URLSearchParams({
      otaVersion: JSON.stringify(otaVersion),
      components: JSON.stringify([await createComponent(me)]),
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await me.inject({ method: 'POST', url: '/api/v1/device/ota/ver', headers, payload: body.toString() })
    expect(reply.json()).toMatchObject({ code: 200, msg: '新增成功' })
    expect((await readVersion(me, reply.json().data.otaId)).components).toHaveLength(1)
    const broken = await me.inject({
      method: 'POST',
      url: '/api/v1/device/ota/ver',
      headers,
      payload: 'otaVersion=%7Bbroken&components=[]',
    })
    expect(broken.json()).toMatchObject({ code: 400, msg: '版本信息不正确' })
  })

  test.each([
    ['OTA-03', { verCode: '' }, '请输入版本号', 'otaVersion.verCode'],
    ['OTA-03', { verCode: undefined }, '请输入版本号', 'otaVersion.verCode'],
    ['OTA-03', { verCode: '1a' }, '版本号必须为数字值', 'otaVersion.verCode'],
    ['OTA-03', { verCode: '-1' }, '版本号必须为数字值', 'otaVersion.verCode'],
    ['OTA-03', { verCode: 1.5 }, '版本号必须为数字值', 'otaVersion.verCode'],
    ['OTA-03', { verCode: '1e3' }, '版本号必须为数字值', 'otaVersion.verCode'],
    ['OTA-03', { verCode: '１２' }, '版本号必须为数字值', 'otaVersion.verCode'],
    ['OTA-03', { verCode: '1234567890' }, '版本号不能超过9个字符', 'otaVersion.verCode'],
    ['OTA-04', { verName: '  ' }, '请输入版本名称', 'otaVersion.verName'],
    ['OTA-04', { verName: '长'.repeat(33) }, '版本名称不能超过32个字符', 'otaVersion.verName'],
    ['OTA-05', { releaseDate: '' }, '请选择发布日期', 'otaVersion.releaseDate'],
    ['OTA-05', { releaseDate: undefined }, '请选择发布日期', 'otaVersion.releaseDate'],
    ['OTA-05', { releaseDate: '2030-01-01' }, '发布日期格式应为 yyyy-MM-dd HH:mm:ss', 'otaVersion.releaseDate'],
    ['OTA-05', { releaseDate: '2030-02-30 08:00:00' }, '日期不存在', 'otaVersion.releaseDate'],
    ['OTA-05', { buildDate: 'gestern' }, '构建日期格式应为 yyyy-MM-dd HH:mm:ss', 'otaVersion.buildDate'],
    ['OTA-06', { description: '长'.repeat(501) }, '版本描述不能超过500个字符', 'otaVersion.description'],
    ['OTA-07', { oldVerMin: 'v1' }, '最低适用版本必须为数字值', 'otaVersion.oldVerMin'],
    ['OTA-07', { oldVerMax: '1234567890' }, '最高适用版本不能超过9个字符', 'otaVersion.oldVerMax'],
    ['OTA-07', { oldVerMin: '9', oldVerMax: '8' }, '最低适用版本不能大于最高适用版本', 'otaVersion.oldVerMax'],
    ['model', { modelId: 0 }, '请选择设备型号', 'otaVersion.modelId'],
    ['model', { modelId: 999_999 }, '设备型号不存在或已停用', 'otaVersion.modelId'],
  ])('%s a version with %o is refused: %s', async (_id, over, msg, field) => {
    const me = await editor()
    const payload = { otaVersion: buildVersion(await createModel(me), over), components: [] }
    expect(await me.call('POST', '/api/v1/device/ota/ver', payload)).toEqual({ code: 400, msg, data: { field } })
  })

  test.each([
    ['OTA-06', { name: '' }, '请输入组件名称', 'components.0.name'],
    ['OTA-06', { name: '名'.repeat(16) }, '组件名称不能超过15个字符', 'components.0.name'],
    ['OTA-08', { type: 6 }, '请选择组件类型', 'components.0.type'],
    ['file', { url: '' }, '请上传组件', 'components.0.url'],
    ['file', { url: 'https://example.com/a.bin' }, '组件地址不正确，请重新上传', 'components.0.url'],
    [
      'file',
      { url: `/api/v1/file/${'0'.repeat(32)}` },
      '组件文件不存在或不属于当前客户，请重新上传',
      'components.0.url',
    ],
    ['file', { size: 1 }, '组件「主程序」的大小或校验值与已上传的文件不一致，请重新上传', 'components.0.url'],
    [
      'file',
      { md5: '0'.repeat(32) },
      '组件「主程序」的大小或校验值与已上传的文件不一致，请重新上传',
      'components.0.url',
    ],
    [
      'file',
      { sha1: '0'.repeat(40) },
      '组件「主程序」的大小或校验值与已上传的文件不一致，请重新上传',
      'components.0.url',
    ],
    [
      'file',
      { sha256: '0'.repeat(64) },
      '组件「主程序」的大小或校验值与已上传的文件不一致，请重新上传',
      'components.0.url',
    ],
    ['file', { sha256: 'nonsense' }, '校验值不正确', 'components.0.sha256'],
  ])('%s a component with %o is refused: %s', async (_id, over, msg, field) => {
    const me = await editor()
    const payload = { otaVersion: buildVersion(await createModel(me)), components: [await createComponent(me, over)] }
    expect(await me.call('POST', '/api/v1/device/ota/ver', payload)).toEqual({ code: 400, msg, data: { field } })
  })

  test('OTA-04 OTA-08 names are trimmed, the version number may be a number, and every component type is kept', async () => {
    const me = await editor()
    const parts = await Promise.all([1, 2, 3, 4, 5, 99].map((type) => createComponent(me, { type: String(type) })))
    const { otaId } = await createVersion(me, { verCode: 7, verName: ' 秋季版 ' }, parts)
    const { otaVersion, components } = await readVersion(me, otaId)
    expect(otaVersion).toMatchObject({ verCode: 7, verName: '秋季版', oldVerMin: null, oldVerMax: null })
    expect(components.map(({ type }) => type)).toEqual([1, 2, 3, 4, 5, 99])
  })

  test('a version number is unique within tenant and model, and can be used again after deletion', async () => {
    const me = await editor()
    const first = await createVersion(me, { verCode: '5' }, [])
    const again = { otaVersion: buildVersion(first.modelId, { verCode: '5' }), components: [] }
    const taken = { code: 400, msg: '版本号已存在', data: { field: 'otaVersion.verCode' } }
    expect(await me.call('POST', '/api/v1/device/ota/ver', again)).toEqual(taken)
    const other = await createVersion(me, { verCode: '5' }, [])
    const { otaVersion } = await readVersion(me, other.otaId)
    expect(await saveVersion(me, { otaVersion: { ...otaVersion, modelId: first.modelId }, components: [] })).toEqual(
      taken,
    )
    expect((await readVersion(me, other.otaId)).otaVersion).toMatchObject({ modelId: other.modelId, rev: 0 })
    await me.call('DELETE', `/api/v1/device/ota/ver/${first.otaId}`)
    expect((await me.call('POST', '/api/v1/device/ota/ver', again)).code).toBe(200)
  })

  test('the second of two edits of the same revision is refused', async () => {
    const me = await editor()
    const { otaId, components } = await createVersion(me)
    const { otaVersion } = await readVersion(me, otaId)
    expect((await saveVersion(me, { otaVersion: { ...otaVersion, verName: '甲' }, components })).code).toBe(200)
    const late = await saveVersion(me, { otaVersion: { ...otaVersion, verName: '乙' }, components })
    expect(late).toMatchObject({ code: 400, data: { conflict: { rev: 1 } } })
    expect((await readVersion(me, otaId)).otaVersion).toMatchObject({ verName: '甲' })
  })

  test('the files of a version count as used after saving and as unused after the version is deleted', async () => {
    const me = await editor()
    const { otaId, components } = await createVersion(me)
    const used = async () => {
      const id = String(components[0] && (components[0] as { url: string }).url).slice(-32)
      const { rows } = await server.services.database.pool.query('select used_time from files where id = $1', [id])
      return rows[0]?.used_time !== null
    }
    expect(await used()).toBe(true)
    const { otaVersion } = await readVersion(me, otaId)
    await saveVersion(me, { otaVersion, components: [] })
    expect(await used()).toBe(false)
    await saveVersion(me, { otaVersion: { ...otaVersion, rev: 1 }, components })
    expect(await used()).toBe(true)
    await me.call('DELETE', `/api/v1/device/ota/ver/${otaId}`)
    expect(await used()).toBe(false)
  })
})
