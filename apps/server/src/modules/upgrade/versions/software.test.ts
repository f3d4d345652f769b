import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import {
  createComponent,
  createVersion,
  FIRMWARE_PERMISSIONS,
  createModel,
  SOFTWARE_PERMISSIONS,
  buildVersion,
} from './version-fixture.ts'

const server = useApp()
const ROOT = '/api/v1/device/software'
const REFUSED = { code: 501, msg: '您没有权限！' }

const modelFor = async () => createModel(await server.as('upgrade:ota:add'))
const add = (me: Caller, modelId: number, over: object = {}, components: object[] = []) =>
  me.call('POST', `${ROOT}/ver`, {
    otaVersion: buildVersion(modelId, { packageName: 'com.oms.voice', ...over }),
    components,
  })
const read = async (me: Caller, otaId: number) => (await me.call('GET', `${ROOT}/ver/${otaId}`)).data
const listed = async (me: Caller, query = '') =>
  ((await me.call('GET', `${ROOT}?${query}`)).data.list as { otaId: number }[]).map(({ otaId }) => otaId)

test('a package version can be created, edited and enabled; an enabled version keeps its package and cannot be deleted', async () => {
  const me = await server.as(...SOFTWARE_PERMISSIONS, 'upgrade:ota:uploadComp')
  const part = await createComponent(me)
  const made = await add(me, await modelFor(), {}, [part])
  expect(made).toMatchObject({ code: 200, msg: '新增成功' })
  const { otaId } = made.data
  const { otaVersion, components } = await read(me, otaId)
  expect(otaVersion).toMatchObject({ packageName: 'com.oms.voice', verCode: 100, status: 0 })
  const edited = { ...otaVersion, packageName: 'com.oms.voice-2', verName: '改名' }
  expect(await me.call('PUT', `${ROOT}/ver`, { otaVersion: edited, components })).toMatchObject({ code: 200 })
  expect((await me.call('POST', `${ROOT}/ver/enable/${otaId}`)).msg).toBe('启用成功')
  const after = await read(me, otaId)
  expect(after.otaVersion).toMatchObject({ packageName: 'com.oms.voice-2', verName: '改名', status: 1 })
  const moved = { ...after.otaVersion, packageName: 'com.oms.other' }
  const again = await me.call('PUT', `${ROOT}/ver`, { otaVersion: moved, components })
  expect(again).toMatchObject({ code: 400, data: { field: 'otaVersion.packageName' } })
  expect((await me.call('DELETE', `${ROOT}/ver/${otaId}`)).msg).toBe('启用过的版本不能删除')
  const { rows } = await server.services.database.pool.query(
    'select title, action from oper_logs where biz_type = $1 and biz_id = $2 and status = 1 order by oper_id',
    ['software', String(otaId)],
  )
  expect(rows).toMatchObject([
    { title: '新增软件包版本', action: '新增软件包版本「秋季版」(com.oms.voice 100)' },
    { title: '修改软件包版本' },
    { title: '启用软件包版本' },
  ])
})

test.each([
  ['', '请输入包名'],
  [undefined, '请输入包名'],
  ['Com.Oms', '包名只能包含小写字母、数字和 . _ -'],
  ['有空 格', '包名只能包含小写字母、数字和 . _ -'],
  ['a'.repeat(65), '包名不能超过64个字符'],
])('the package name %j is refused: %s', async (packageName, msg) => {
  const me = await server.as(...SOFTWARE_PERMISSIONS)
  const refused = await add(me, await modelFor(), { packageName })
  expect(refused).toEqual({ code: 400, msg, data: { field: 'otaVersion.packageName' } })
})

test('version numbers are unique within tenant, model and package, independent of firmware numbers', async () => {
  const me = await server.as(...SOFTWARE_PERMISSIONS, ...FIRMWARE_PERMISSIONS)
  const modelId = await modelFor()
  expect((await add(me, modelId)).code).toBe(200)
  expect(await add(me, modelId)).toEqual({
    code: 400,
    msg: '版本号已存在',
    data: { field: 'otaVersion.verCode' },
  })
  expect((await add(me, modelId, { packageName: 'com.oms.player' })).code).toBe(200)
  expect((await add(me, await modelFor())).code).toBe(200)
  const firmware = { otaVersion: buildVersion(modelId), components: [] }
  expect((await me.call('POST', '/api/v1/device/ota/ver', firmware)).code).toBe(200)
})

test('the firmware API finds no software package, and the software API finds no firmware', async () => {
  const me = await server.as(...SOFTWARE_PERMISSIONS, ...FIRMWARE_PERMISSIONS)
  const firmware = await createVersion(me)
  const made = await add(me, await modelFor(), {}, [await createComponent(me)])
  const packageId = made.data.otaId as number
  for (const [root, other, noun] of [
    [ROOT, firmware.otaId, '软件包版本不存在或已被删除'],
    ['/api/v1/device/ota', packageId, '固件版本不存在或已被删除'],
  ] as const) {
    const otaVersion = { ...buildVersion(firmware.modelId), packageName: 'x', otaId: other, rev: 0 }
    const refusals = [
      await me.call('GET', `${root}/ver/${other}`),
      await me.call('PUT', `${root}/ver`, { otaVersion, components: [] }),
      await me.call('POST', `${root}/ver/enable/${other}`),
      await me.call('POST', `${root}/ver/disable/${other}`),
      await me.call('DELETE', `${root}/ver/${other}`),
    ]
    for (const { code, msg } of refusals) expect({ code, msg }).toEqual({ code: 400, msg: noun })
    const { data } = await me.call('GET', root)
    expect(data.list.map(({ otaId }: { otaId: number }) => otaId)).not.toContain(other)
    expect(data.total).toBe(data.list.length)
    const narrowed = await me.call('GET', `${root}?verName=秋季`)
    expect(narrowed.data.list.map(({ otaId }: { otaId: number }) => otaId)).not.toContain(other)
    const file = await me.inject({ method: 'GET', url: `${root}/export?format=csv` })
    expect(file.body.trim().split('\n')).toHaveLength(data.total + 1)
  }
})

test('the list filters by a part of the package name', async () => {
  const me = await server.as(...SOFTWARE_PERMISSIONS)
  const modelId = await modelFor()
  const { otaId: voice } = (await add(me, modelId, { packageName: `v${randomBytes(4).toString('hex')}` })).data
  const { packageName } = (await read(me, voice)).otaVersion
  await add(me, modelId, { packageName: 'other' })
  expect(await listed(me, `packageName=${packageName.slice(1)}`)).toEqual([voice])
  expect(await listed(me, 'packageName=%25')).toEqual([])
})

test('firmware and software have separate permissions; components need the permission of their version', async () => {
  const packager = await server.as(...SOFTWARE_PERMISSIONS)
  const engineer = await server.as(...FIRMWARE_PERMISSIONS)
  expect(await engineer.call('GET', ROOT)).toMatchObject(REFUSED)
  expect(await packager.call('GET', '/api/v1/device/ota')).toMatchObject(REFUSED)
  expect(await add(engineer, 1)).toMatchObject(REFUSED)
  const begin = { purpose: 'component', name: 'a.apk', size: 10, fingerprint: 'f' }
  expect((await packager.call('POST', '/api/v1/file/parts/begin', begin)).code).toBe(200)
  const reader = await server.as('upgrade:GeneralSoftware:list')
  expect(await reader.call('POST', '/api/v1/file/parts/begin', begin)).toMatchObject(REFUSED)
  expect((await reader.call('GET', '/api/v1/device/model/simple/list')).code).toBe(200)

  const { components } = await createVersion(engineer)
  const url = (components[0] as { url: string }).url
  expect((await packager.inject({ method: 'GET', url })).json()).toMatchObject({ msg: '文件不存在或已被删除' })
  expect((await (await server.as('upgrade:ota:query')).inject({ method: 'GET', url })).statusCode).toBe(200)
})
