import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import {
  createComponent,
  createModel,
  FIRMWARE_PERMISSIONS,
  readVersion,
  saveVersion,
  SOFTWARE_PERMISSIONS,
} from './version-fixture.ts'

const server = useApp()
const URL = '/api/v1/device/ota/ver'
/** The version fields of the specification. The specification has no field for the model. */
const FIELDS = {
  verCode: 101,
  verName: 'V1.0.1',
  buildDate: '2030-01-01 08:00:00',
  releaseDate: '2030-01-01 08:00:00',
  description: '',
  oldVerMin: '',
  oldVerMax: '',
}

test('a version with only the fields of the specification is saved as a draft, and enabling requires a model', async () => {
  const me = await server.as(...FIRMWARE_PERMISSIONS)
  const modelId = await createModel(me)
  const components = [await createComponent(me)]
  const draft = await me.call('POST', URL, { otaVersion: FIELDS, components })
  expect(draft).toMatchObject({ code: 200, msg: '新增成功' })
  const { otaId } = draft.data
  expect(await me.call('POST', URL, { otaVersion: FIELDS, components: [] })).toMatchObject({ msg: '版本号已存在' })
  const { list } = (await me.call('GET', '/api/v1/device/ota?verName=V1.0.1')).data
  expect(list).toMatchObject([{ otaId, modelId: null, modelName: '', status: 0 }])
  expect((await me.inject({ method: 'GET', url: '/api/v1/device/ota/export?format=csv' })).body).toContain('V1.0.1')

  const { otaVersion } = await readVersion(me, otaId)
  const renamed = { ...otaVersion, verName: '冬季版', rev: undefined }
  expect(await saveVersion(me, { otaVersion: renamed, components })).toMatchObject({ code: 200 })
  expect((await me.call('GET', `/api/v1/upgrade/release/${otaId}`)).data).toMatchObject({ status: 0, modelName: '' })
  const enable = () => me.call('POST', `${URL}/enable/${otaId}`)
  expect(await enable()).toMatchObject({ code: 501, msg: '请先选择设备型号再启用' })
  expect(await me.call('POST', `/api/v1/device/ota/manifest/prepare/${otaId}`)).toMatchObject({
    msg: '请先选择设备型号再生成清单',
  })

  await saveVersion(me, { otaVersion: { ...renamed, modelId }, components })
  // A later save without a model keeps the model.
  await saveVersion(me, { otaVersion: { ...FIELDS, otaId }, components })
  expect((await readVersion(me, otaId)).otaVersion).toMatchObject({
    modelId,
    modelName: expect.stringMatching(/^型号/),
  })
  expect(await enable()).toMatchObject({ code: 200 })
})

test('a software package is saved as a draft without a model', async () => {
  const me = await server.as(...SOFTWARE_PERMISSIONS)
  const otaVersion = { ...FIELDS, packageName: 'com.oms.voice' }
  const { data } = await me.call('POST', '/api/v1/device/software/ver', { otaVersion, components: [] })
  const enabled = await me.call('POST', `/api/v1/device/software/ver/enable/${data.otaId}`)
  expect(enabled.msg).toBe('请先选择设备型号再启用')
})
