import { beforeEach, describe, expect, test } from 'vitest'
import { deviceLab, GATEWAY, TOKEN } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()

beforeEach(async () => {
  await oms.query(`update ota_versions set status = 2`)
  await oms.sync()
})

describe('plain protocol', () => {
  test('a device without hawkBit checks for an update, downloads it, reports and gets the next version', async () => {
    const { sn, id } = await oms.device({ verCode: 100 })
    expect((await oms.plain('check', { sn, model: 'C1', verCode: 100 })).status).toBe(204)
    const { bytes, componentId, otaId } = await oms.version({ verCode: 200, fileName: '固件.bin' })
    const found = (await oms.plain('check', { sn, model: 'C1', verCode: '100' })).json()
    const url = `${oms.origin}/device/v1/files/${found.taskId}/${componentId}/${encodeURIComponent('固件.bin')}`
    expect(found).toMatchObject({
      kind: 'firmware',
      version: { verCode: 200, verName: 'v200' },
      components: [
        {
          name: '固件',
          type: 2,
          fileName: '固件.bin',
          url,
          size: bytes.length,
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
    })
    expect((await oms.plain('check', { sn, verCode: 100 })).json().taskId).toBe(found.taskId)
    const bearer = { token: null, headers: { authorization: `Bearer ${TOKEN}` } }
    expect((await oms.send(url, { token: null })).status).toBe(401)
    const head = await oms.send(url, { ...bearer, headers: { ...bearer.headers, range: 'bytes=0-9' } })
    expect([head.status, head.body.equals(bytes.subarray(0, 10))]).toEqual([206, true])
    expect((await oms.send(url, bearer)).body.equals(bytes)).toBe(true)
    expect((await oms.send(`${oms.origin}/device/v1/files/${found.taskId}/${componentId}/x.bin`, bearer)).status).toBe(
      404,
    )
    expect((await oms.plain('report', { sn, taskId: found.taskId, state: 'installing', progress: 40 })).status).toBe(
      200,
    )
    expect((await oms.plain('report', { sn, taskId: found.taskId, state: 'downloading' })).status).toBe(200)
    expect((await oms.taskRow(found.taskId)).state).toBe(40)
    expect((await oms.plain('report', { sn, taskId: found.taskId, state: 'dancing' })).status).toBe(400)
    expect((await oms.plain('report', { sn, taskId: found.taskId, state: 'succeeded' })).status).toBe(200)
    expect((await oms.plain('report', { sn, taskId: found.taskId, state: 'succeeded' })).status).toBe(410)
    expect(await oms.query('select ver_code from devices where id = $1', [id])).toEqual([{ ver_code: 200 }])
    expect((await oms.plain('check', { sn, verCode: 200 })).status).toBe(204)
    expect((await oms.send(url, bearer)).status).toBe(401)
    expect(otaId).toBeGreaterThan(0)
  })

  test('versions are compared as numbers: 99 is lower than 100, leading zeros are ignored, ten digits are invalid', async () => {
    const { sn, id } = await oms.device({ verCode: null })
    await oms.version({ verCode: 100 })
    const { taskId } = (await oms.plain('check', { sn, verCode: '000000099' })).json()
    expect(await oms.taskRow(taskId)).toMatchObject({ from_ver_code: 99, ver_code: 100 })
    for (const bad of ['1234567890', -1, 1.5, 'v1', {}])
      expect((await oms.plain('check', { sn, verCode: bad })).status).toBe(400)
    expect(await oms.query('select ver_code from device_versions where device_id = $1', [id])).toEqual([
      { ver_code: 99 },
    ])
  })

  test('a task succeeds when its device checks with the new version after a restart', async () => {
    const { sn } = await oms.device()
    await oms.version({ verCode: 300 })
    const { taskId } = (await oms.plain('check', { sn, verCode: 100 })).json()
    expect((await oms.plain('check', { sn, verCode: 300 })).status).toBe(204)
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 100 })
  })

  test('packages are offered one after another to devices that have them, independent of the firmware', async () => {
    const { sn, id } = await oms.device()
    await oms.version({ verCode: 12, packageName: 'com.oms.app' })
    expect((await oms.plain('check', { sn, verCode: 100 })).status).toBe(204)
    const packages = [
      { name: 'com.oms.app', verCode: 11 },
      { name: 'other', verCode: 1 },
    ]
    const app = (await oms.plain('check', { sn, verCode: 100, packages })).json()
    expect(app).toMatchObject({ kind: 'package', packageName: 'com.oms.app', version: { verCode: 12 } })
    await oms.version({ verCode: 400 })
    const firmware = (await oms.plain('check', { sn, verCode: 100, packages })).json()
    expect(firmware).toMatchObject({ taskId: app.taskId })
    await oms.plain('report', { sn, taskId: app.taskId, state: 'succeeded' })
    expect(
      await oms.query(`select ver_code from device_packages where device_id = $1 order by package_name`, [id]),
    ).toEqual([{ ver_code: 12 }, { ver_code: 1 }])
    expect(
      (await oms.plain('check', { sn, verCode: 100, packages: [{ name: 'com.oms.app', verCode: 12 }] })).json().kind,
    ).toBe('firmware')
    expect((await oms.plain('check', { sn, packages: [{ name: '' }] })).status).toBe(400)
  })

  test('a device can confirm, cancel and fail a task with the plain protocol', async () => {
    const { sn } = await oms.device()
    await oms.version({ verCode: 500, policy: { need_confirm: true } })
    const asked = (await oms.plain('check', { sn, verCode: 100 })).json()
    expect(asked.confirm).toBe(true)
    expect(
      (await oms.send(asked.components[0].url, { token: null, headers: { authorization: `Bearer ${TOKEN}` } })).status,
    ).toBe(404)
    await oms.plain('report', { sn, taskId: asked.taskId, state: 'denied', message: '用户说稍后' })
    expect(await oms.taskRow(asked.taskId)).toMatchObject({ state: 5, reason: '用户说稍后' })
    await oms.plain('report', { sn, taskId: asked.taskId, state: 'confirmed' })
    expect((await oms.plain('check', { sn, verCode: 100 })).json().confirm).toBeUndefined()
    await oms.query('update ota_tasks set state = 50 where task_id = $1', [asked.taskId])
    await oms.sync()
    expect((await oms.plain('check', { sn, verCode: 100 })).json()).toEqual({ taskId: asked.taskId, cancel: true })
    expect((await oms.plain('report', { sn, taskId: asked.taskId, state: 'installing' })).json()).toEqual({
      taskId: asked.taskId,
      cancel: true,
    })
    await oms.plain('report', { sn, taskId: asked.taskId, state: 'cancelled' })
    expect((await oms.plain('check', { sn, verCode: 100 })).status).toBe(204)
    const other = await oms.device()
    await oms.version({ verCode: 600 })
    const { taskId } = (await oms.plain('check', { sn: other.sn, verCode: 100 })).json()
    expect((await oms.plain('report', { sn, taskId, state: 'failed' })).status).toBe(404)
    await oms.plain('report', { sn: other.sn, taskId, state: 'failed', code: 17, message: '空间不足' })
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 110, reason: '空间不足', code: '17' })
  })

  test('invalid requests get 401, 404, 405, 409 or 400, and the token may be in the body', async () => {
    const { sn } = await oms.device()
    expect((await oms.plain('check', { sn }, null)).status).toBe(401)
    expect((await oms.plain('check', { sn }, 'wrong')).status).toBe(401)
    expect((await oms.plain('check', { sn: 'nobody' })).status).toBe(401)
    expect((await oms.plain('check', { sn, token: TOKEN }, null)).status).toBe(204)
    expect((await oms.plain('check', {})).status).toBe(400)
    expect((await oms.plain('check', { sn, model: 'C2' })).status).toBe(409)
    expect((await oms.plain('nothing', { sn })).status).toBe(404)
    expect((await oms.send('/device/v1/check')).status).toBe(405)
    expect((await oms.post('/device/v1/check', '{"sn":')).status).toBe(400)
    expect((await oms.post('/device/v1/check', 'x'.repeat(300_000))).status).toBe(413)
  })

  test('the first device that activates a certificate gets it, a repeated call is harmless, other devices are refused', async () => {
    const [mine, other] = [await oms.device(), await oms.device()]
    expect((await oms.plain('activate', { sn: mine.sn })).status).toBe(400)
    expect((await oms.plain('activate', { sn: mine.sn, uid: 'OMSX-000001-ABCDE', mac: 'zz' })).status).toBe(400)
    expect((await oms.plain('activate', { sn: mine.sn, uid: 'OMSX-000001-ABCDE' })).status).toBe(404)
    await oms.query(
      `insert into licenses (uid, vendor, type_code, batch_id, tenant_id, state) values ('OMSX-000001-ABCDE', 9, 'P2P', 1, 1, 1)`,
    )
    const said = { uid: 'OMSX-000001-ABCDE', model: 'C1', mac: '00:11:22:AA:BB:CC' }
    for (let i = 0; i < 2; i++) {
      const reply = await oms.plain('activate', { sn: mine.sn, ...said })
      expect([reply.status, reply.json().state]).toEqual([200, 3])
    }
    expect((await oms.plain('activate', { sn: other.sn, ...said })).status).toBe(409)
    expect((await oms.plain('activate', { sn: mine.sn, ...said }, 'wrong')).status).toBe(401)
  })

  test('the gateway token registers a serial number with the device model in the request', async () => {
    await oms.gateway({ modelId: 1 })
    expect((await oms.plain('check', { sn: 'NEW-1', model: 'C2', verCode: 7 }, GATEWAY)).status).toBe(204)
    expect(await oms.query(`select model_id, ver_code from devices where sn = 'NEW-1'`)).toEqual([
      { model_id: 2, ver_code: 7 },
    ])
    expect((await oms.plain('check', { sn: 'NEW-2', model: 'nothing' }, GATEWAY)).status).toBe(401)
    expect((await oms.plain('check', { sn: 'NEW-3' }, GATEWAY)).status).toBe(204)
    // The gateway token of a tenant is valid only for that tenant's devices.
    const foreign = await oms.device({ tenantId: 7 })
    expect((await oms.plain('check', { sn: foreign.sn }, GATEWAY)).status).toBe(401)
  })

  test('while a release is paused, a device that has not begun its download gets no file', async () => {
    const { sn } = await oms.device({ verCode: 100 })
    const { bytes, otaId } = await oms.version({ verCode: 9300 })
    const { taskId, components } = (await oms.plain('check', { sn, verCode: 100 })).json()
    const bearer = { token: null, headers: { authorization: `Bearer ${TOKEN}` } }
    const setState = async (state: number) => {
      await oms.query('update ota_policies set state = $2 where ota_id = $1', [otaId, state])
      await oms.sync()
    }
    await setState(3)
    expect((await oms.send(components[0].url, bearer)).status).toBe(429)
    expect((await oms.taskRow(taskId)).state).toBeLessThan(20)
    await setState(0)
    expect((await oms.send(components[0].url, bearer)).body.equals(bytes)).toBe(true)
    await setState(3)
    expect((await oms.send(components[0].url, bearer)).body.equals(bytes)).toBe(true)
  })
})
