import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { deviceModels } from '#schema/device.ts'
import { otaVersions } from '#schema/ota.ts'
import { operLogs } from '#schema/system.ts'
import { FIRMWARE_PERMISSIONS, createModel, buildVersion } from './ota-fixture.ts'

const server = useApp()
const URL = '/api/v1/device/ota/ver'

test('a version saved without a model gets the only enabled model, and keeps it in later saves', async () => {
  const me = await server.as(...FIRMWARE_PERMISSIONS)
  const { modelId: _none, ...fields } = buildVersion(0)
  const refusal = { code: 400, msg: '请选择设备型号', data: { field: 'otaVersion.modelId' } }
  await server.db.update(deviceModels).set({ status: 0 })
  expect(await me.call('POST', URL, { otaVersion: fields, components: [] })).toEqual(refusal)
  const modelId = await createModel(me)
  const { code, msg, data } = await me.call('POST', URL, { otaVersion: fields, components: [] })
  expect(code, msg).toBe(200)
  const edited = { ...fields, otaId: data.otaId, verName: '冬季版' }
  expect(await me.call('PUT', URL, { otaVersion: edited, components: [] })).toMatchObject({ code: 200 })
  const [stored] = await server.db.select().from(otaVersions).where(eq(otaVersions.otaId, data.otaId))
  expect(stored).toMatchObject({ modelId, verName: '冬季版' })
  const logged = await server.db
    .select()
    .from(operLogs)
    .where(eq(operLogs.bizId, String(data.otaId)))
  expect(logged.map(({ action }) => action).join()).toContain('（未带版本信息，按当前内容保存）')
  await createModel(me)
  expect(await me.call('POST', URL, { otaVersion: { ...fields, verCode: '101' }, components: [] })).toEqual(refusal)
})
