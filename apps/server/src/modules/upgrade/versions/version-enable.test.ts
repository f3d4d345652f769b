import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { espImage } from '#test/fixtures/esp-image.ts'
import { type Caller, useApp } from '#test/harness.ts'
import { otaPolicies } from '../schema.ts'
import {
  createComponent,
  createModel,
  createVersion,
  FIRMWARE_PERMISSIONS,
  readVersion,
  saveVersion,
  uploadComponent,
} from './version-fixture.ts'

const server = useApp()
const editor = () => server.as(...FIRMWARE_PERMISSIONS)
const LOCKED = '启用过的版本只能修改名称、日期、适用范围和描述，其他修改请新增版本'

describe('enabling', () => {
  const enable = (caller: Caller, otaId: number) => caller.call('POST', `/api/v1/device/ota/ver/enable/${otaId}`)
  const disable = (caller: Caller, otaId: number) => caller.call('POST', `/api/v1/device/ota/ver/disable/${otaId}`)

  test('OTA-02 a version that is or was enabled keeps number, model and components, and cannot be deleted', async () => {
    const me = await editor()
    const { otaId, components } = await createVersion(me)
    expect(await disable(me, otaId)).toMatchObject({ code: 501, msg: '该版本未启用' })
    expect(await enable(me, otaId)).toMatchObject({ code: 200, msg: '启用成功' })
    expect(await enable(me, otaId)).toMatchObject({ code: 501, msg: '该版本已启用' })
    const locked = await readVersion(me, otaId)
    expect(locked.otaVersion).toMatchObject({ status: 1, enableTime: expect.any(String) })
    const frozen = async () => {
      const { otaVersion } = await readVersion(me, otaId)
      const refusal = (field: string) => ({ code: 400, msg: LOCKED, data: { field } })
      for (const change of [{ verCode: '101' }, { modelId: await createModel(me) }]) {
        const edit = await saveVersion(me, { otaVersion: { ...otaVersion, ...change }, components })
        expect(edit).toEqual(refusal(`otaVersion.${Object.keys(change)[0]}`))
      }
      for (const other of [[], [await createComponent(me)], [{ ...components[0], name: '改名' }]])
        expect(await saveVersion(me, { otaVersion, components: other })).toEqual(refusal('components'))
      const gone = await me.call('DELETE', `/api/v1/device/ota/ver/${otaId}`)
      expect(gone).toMatchObject({ code: 501, msg: '启用过的版本不能删除' })
      expect((await readVersion(me, otaId)).components).toEqual(locked.components)
    }
    await frozen()
    expect(await disable(me, otaId)).toMatchObject({ code: 200, msg: '停用成功' })
    expect((await readVersion(me, otaId)).otaVersion).toMatchObject({ status: 2, verName: '秋季版' })
    await frozen()
    expect(await enable(me, otaId)).toMatchObject({ code: 200 })
  })

  test('OTA-02 name, description, dates and range of an enabled version can be edited, and its manifest follows', async () => {
    const me = await editor()
    const { otaId, modelId, components } = await createVersion(me)
    await enable(me, otaId)
    const newer = await createVersion(me, { modelId, verCode: '200' })
    await enable(me, newer.otaId)
    const signing = async () => (await me.call('GET', `/api/v1/device/ota/manifest/${otaId}`)).data
    const signed = await signing()
    const edit = async (change: object) => {
      const { otaVersion } = await readVersion(me, otaId)
      return saveVersion(me, { otaVersion: { ...otaVersion, ...change }, components })
    }
    expect(await edit({ description: '说明', buildDate: '2029-12-31 10:00:00' })).toMatchObject({ code: 200 })
    expect(await signing()).toEqual(signed)
    const change = { verName: '改名', releaseDate: '2030-02-01 08:00:00', oldVerMin: 5, oldVerMax: 99 }
    expect(await edit(change)).toMatchObject({ code: 200, msg: '修改成功' })
    expect((await readVersion(me, otaId)).otaVersion).toMatchObject({ ...change, description: '说明', status: 1 })
    const renewed = await signing()
    expect(renewed).toMatchObject({ state: 2, release: signed.release })
    expect(JSON.parse(renewed.manifest)).toMatchObject({ verName: '改名', oldVerMin: 5, oldVerMax: 99 })
    expect(await server.services.fleet.ruleOf(otaId)).toMatchObject({ oldVerMin: 5, verName: '改名' })
    const beyond = { code: 400, msg: '适用的旧版本必须小于本版本号', data: { field: 'otaVersion.oldVerMax' } }
    expect(await edit({ oldVerMax: 100 })).toEqual(beyond)

    await server.db.update(otaPolicies).set({ auditBy: 1 }).where(eq(otaPolicies.otaId, otaId))
    const approved = '审批过的发布不能修改发布日期和适用范围，请先停用该版本'
    expect(await edit({ oldVerMin: 4 })).toMatchObject({ msg: approved, data: { field: 'otaVersion.oldVerMin' } })
    expect(await edit({ verName: '再改' })).toMatchObject({ code: 200 })
    await disable(me, otaId)
    expect(await edit({ oldVerMin: 4, oldVerMax: '' })).toMatchObject({ code: 200 })
    expect(await enable(me, otaId)).toMatchObject({ code: 200 })
  })

  test('OTA-02 enabling a version creates a test release, disabling cancels its tasks, and enabling again starts a new release', async () => {
    const me = await editor()
    const { otaId, modelId } = await createVersion(me)
    await enable(me, otaId)
    const releases = async () =>
      (await server.db.execute(sql`select mode, state, rev from ota_policies where ota_id = ${otaId}`)).rows
    expect(await releases()).toEqual([{ mode: 1, state: 0, rev: 0 }])
    await server.db.execute(
      sql`insert into devices (tenant_id, model_id, sn, ver_code) values (1, ${modelId}, 'EN1', 1), (1, ${modelId}, 'EN2', 100)`,
    )
    await server.db.execute(sql`insert into ota_tasks (ota_id, device_id, tenant_id, model_id, ver_code)
      select ${otaId}, id, 1, ${modelId}, 100 from devices where sn = 'EN1'`)
    expect(await disable(me, otaId)).toMatchObject({
      msg: '停用成功，已取消 1 个升级任务，1 台设备已安装该版本，不受影响',
    })
    expect(await releases()).toEqual([{ mode: 1, state: 4, rev: 1 }])
    await enable(me, otaId)
    expect(await releases()).toEqual([{ mode: 1, state: 0, rev: 0 }])
    const tasks = await server.db.execute(sql`select state, retried from ota_tasks where ota_id = ${otaId}`)
    expect(tasks.rows).toEqual([{ state: 120, retried: true }])
  })

  test('a version without components or with a range above its own number cannot be enabled', async () => {
    const me = await editor()
    const { otaId } = await createVersion(me, {}, [])
    expect(await enable(me, otaId)).toMatchObject({ code: 501, msg: '请先上传组件再启用' })
    const beyond = await createVersion(me, { verCode: '100', oldVerMax: '100' })
    expect(await enable(me, beyond.otaId)).toMatchObject({ code: 501, msg: '适用的旧版本必须小于本版本号' })
  })

  test('enabling verifies the stored files and names a damaged or missing component', async () => {
    const me = await editor()
    const good = await createComponent(me)
    const bad = await createComponent(me, { name: '模型' })
    const { otaId } = await createVersion(me, {}, [good, bad])
    const path = join(server.dataDir, 'files', bad.sha256.slice(0, 2), bad.sha256.slice(2, 4), bad.sha256)
    await writeFile(path, randomBytes(bad.size))
    const refusal = { code: 501, msg: '组件「模型」的文件已损坏或丢失，校验未通过，不能启用' }
    expect(await enable(me, otaId)).toMatchObject(refusal)
    await server.services.files.remove(bad.sha256)
    expect(await enable(me, otaId)).toMatchObject(refusal)
    expect((await readVersion(me, otaId)).otaVersion.status).toBe(0)
  })

  test('enabling is refused when the version changes during the verification of its files', async () => {
    const me = await editor()
    const { otaId, components } = await createVersion(me)
    const { otaVersion } = await readVersion(me, otaId)
    const { files } = server.services
    const openRead = files.openRead.bind(files)
    files.openRead = async (...given) => {
      files.openRead = openRead
      expect((await saveVersion(me, { otaVersion: { ...otaVersion, verName: '抢先' }, components })).code).toBe(200)
      return openRead(...given)
    }
    expect(await enable(me, otaId)).toMatchObject({ code: 501, msg: '校验期间该版本已被他人修改，请刷新后重试' })
    expect((await readVersion(me, otaId)).otaVersion).toMatchObject({ status: 0, verName: '抢先' })
  })

  test('only one of several simultaneous requests to enable a version succeeds', async () => {
    const me = await editor()
    const { otaId } = await createVersion(me)
    const codes = (await Promise.all([1, 2, 3, 4].map(() => enable(me, otaId)))).map(({ code }) => code)
    expect(codes.filter((code) => code === 200)).toHaveLength(1)
    expect((await readVersion(me, otaId)).otaVersion).toMatchObject({ status: 1, rev: 1 })
  })

  test('AGENT-05 a model with boards accepts only versions that its boards can install', async () => {
    const me = await editor()
    const { otaId } = await createVersion(me)
    const { otaVersion, components } = await readVersion(me, otaId)
    const { pool } = server.services.database
    await pool.query(`update device_models set boards = '{enable-board}' where id = $1`, [otaVersion.modelId])
    expect((await enable(me, otaId)).msg).toContain('语音设备的版本名称')
    const named = { ...otaVersion, verName: '2.0.10', verCode: 2_000_010 }
    const refused = await saveVersion(me, { otaVersion: { ...named, verCode: 2_000_011 }, components })
    expect([refused.msg, refused.data.field]).toEqual(['版本名称 2.0.10 的版本号应为 2000010', 'otaVersion.verCode'])
    const misnamed = await saveVersion(me, { otaVersion: { ...named, verName: 'v2' }, components })
    expect(misnamed.data.field).toBe('otaVersion.verName')
    expect((await saveVersion(me, { otaVersion: named, components })).code).toBe(200)
    const typed = components.map((each: object) => ({ ...each, type: 2 }))
    const again = (await readVersion(me, otaId)).otaVersion
    const { code } = await saveVersion(me, { otaVersion: again, components: typed })
    expect(code).toBe(200)
    expect((await enable(me, otaId)).code).toBe(200)
  })

  test('AGENT-05 an ESP32 image of another version cannot be enabled; the form reads the version from the image', async () => {
    const me = await editor()
    const fileOf = async (version: string) => (await uploadComponent(me, espImage(version), 'xiaozhi.bin')).data
    const { otaId } = await createVersion(me)
    const { otaVersion } = await readVersion(me, otaId)
    const { pool } = server.services.database
    await pool.query(`update device_models set boards = '{image-board}' where id = $1`, [otaVersion.modelId])
    const withImage = async (version: string) => {
      const { name: _, ...file } = await fileOf(version)
      const current = { ...(await readVersion(me, otaId)).otaVersion, verName: '3.1.4', verCode: 3_001_004 }
      const saved = await saveVersion(me, { otaVersion: current, components: [{ ...file, name: '固件', type: 2 }] })
      expect(saved.code, saved.msg).toBe(200)
      const fileId = file.url.split('/').at(-1)
      return (await me.call('GET', `/api/v1/device/ota/image/${fileId}`)).data.image
    }
    expect(await withImage('3.1.5')).toMatchObject({ version: '3.1.5', project: 'xiaozhi', chip: 'ESP32-S3' })
    expect((await enable(me, otaId)).msg).toBe('组件「固件」的镜像版本是 3.1.5，与版本名称 3.1.4 不一致，不能启用')
    await withImage('3.1.4')
    expect((await enable(me, otaId)).code).toBe(200)
  })

  test("the image descriptor of another tenant's file is not found, and a file without a descriptor returns null", async () => {
    const me = await editor()
    const idOf = async (bytes: Buffer) => (await uploadComponent(me, bytes, 'a.bin')).data.url.split('/').at(-1)
    const [image, other] = [await idOf(espImage('1.0.0')), await idOf(Buffer.alloc(500, 'x'))]
    const stranger = await server.by({ tenant: '别家', permissions: FIRMWARE_PERMISSIONS })
    const url = '/api/v1/device/ota/image'
    expect((await stranger.call('GET', `${url}/${image}`)).msg).toBe('文件不存在或已被删除')
    expect((await me.call('GET', `${url}/${other}`)).data).toEqual({ image: null })
  })
})
