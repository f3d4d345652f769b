import { expect, test } from 'vitest'
import { agentDevices } from '#modules/agent/schema/agent-device.ts'
import { otaVersions } from '#modules/upgrade/schema.ts'
import { useApp } from '#test/harness.ts'
import { DEVICE_PERMISSIONS, addDevice, DEVICE_URL, insertModel, insertTenant } from './device-fixture.ts'
import { deviceVersions } from './schema.ts'

const server = useApp()

test('the history of a device shows the version name given by its tenant, or else by the platform', async () => {
  const me = await server.as(...DEVICE_PERMISSIONS)
  await server.by({ tenant: '云栖' })
  await server.by({ tenant: '海棠' })
  const [own, other] = [await insertTenant(server.db, '云栖'), await insertTenant(server.db, '海棠')]
  const modelId = await insertModel(server.db, 'H1')
  const version = (tenantId: number, verCode: number, verName: string) => ({
    tenantId,
    modelId,
    verCode,
    verName,
    releaseDate: '2026-01-05 09:00:00',
  })
  await server.db
    .insert(otaVersions)
    .values([
      version(1, 300, 'P 3.0'),
      version(own, 200, 'A 2.0'),
      version(1, 200, 'P 2.0'),
      version(other, 100, 'B 1.0'),
    ])
  await addDevice(me, { sn: 'HIST-1', modelId, tenantId: own, verCode: 300 })
  const [{ id }] = (await me.call('GET', `${DEVICE_URL}/page?sn=HIST-1`)).data.list
  await server.db.insert(deviceVersions).values([200, 100].map((verCode) => ({ deviceId: id, verCode, source: 1 })))

  const { data } = await me.call('GET', `${DEVICE_URL}/versions/${id}`)
  expect(data.list.map(({ verCode, verName }: Record<string, unknown>) => [verCode, verName])).toEqual([
    [100, ''],
    [200, 'A 2.0'],
    [300, 'P 3.0'],
  ])
})

test('a version that is not in OMS is shown with the name that the voice device reported', async () => {
  const me = await server.as(...DEVICE_PERMISSIONS)
  const modelId = await insertModel(server.db, 'V1')
  const mac = '24dc0000aa9a'
  await addDevice(me, { sn: 'VOICE-1', modelId, verCode: 2_000_004 })
  await addDevice(me, { sn: 'CAM-1', modelId, verCode: 2_000_004 })
  const read = async (sn: string) => (await me.call('GET', `${DEVICE_URL}/page?sn=${sn}`)).data.list[0]
  const { id, tenantId } = await read('VOICE-1')
  await server.db.insert(agentDevices).values({ deviceId: id, tenantId, agentId: 1, mac, appVersion: '2.0.4' })
  expect(await read('VOICE-1')).toMatchObject({ verCode: 2_000_004, verName: '2.0.4' })
  expect(await read('CAM-1')).toMatchObject({ verCode: 2_000_004, verName: '' })
  const { data } = await me.call('GET', `${DEVICE_URL}/versions/${id}`)
  expect(data.list).toMatchObject([{ verCode: 2_000_004, verName: '2.0.4' }])
})

test('a device counts the enabled newer versions of its tenant and of the platform', async () => {
  const me = await server.as(...DEVICE_PERMISSIONS)
  const modelId = await insertModel(server.db, 'N1')
  const version = (tenantId: number, verCode: number, status: number) => ({
    tenantId,
    modelId,
    verCode,
    verName: String(verCode),
    status,
    releaseDate: '2026-01-05 09:00:00',
  })
  await server.db
    .insert(otaVersions)
    .values([version(1, 100, 1), version(1, 200, 1), version(1, 300, 1), version(1, 400, 0), version(2, 500, 1)])
  const behindOf = async (sn: string, verCode?: number) => {
    await addDevice(me, { sn, modelId, ...(verCode && { verCode }) })
    const [{ id }] = (await me.call('GET', `${DEVICE_URL}/page?sn=${sn}`)).data.list
    return (await me.call('GET', `${DEVICE_URL}/detail/${id}`)).data.versionsBehind
  }
  expect([await behindOf('OLD-1', 100), await behindOf('NEW-1', 300), await behindOf('NONE-1')]).toEqual([2, 0, 0])
})
