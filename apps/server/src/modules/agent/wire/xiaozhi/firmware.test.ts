import { randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deviceLab } from '#test/fixtures/device-fixture.ts'
import { XiaozhiDevice } from '#test/clients/xiaozhi-device.ts'

const oms = deviceLab()
let made = 0

/** Boots and binds a device of board `wifi` (model C1), as the console does. */
async function bound(options: { board?: string; version?: string } = {}) {
  made += 1
  const mac = `02:00:00:00:02:${made.toString(16).padStart(2, '0')}`
  const device = new XiaozhiDevice(`${oms.origin}/xiaozhi/ota/`, { mac, board: 'wifi', version: '1.0.0', ...options })
  const digits = mac.replaceAll(':', '')
  const { id } = await oms.device({ sn: digits, verCode: null })
  await oms.query(
    `insert into agent_devices (device_id, tenant_id, agent_id, mac, client_id) values ($1, 1, 1, $2, $3)`,
    [id, digits, device.clientId],
  )
  return { device, id }
}

/** Creates a released version with one image for a model. */
async function release(version: string, fields: { modelId?: number; fileName?: string; policy?: object } = {}) {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const verCode = major * 1_000_000 + minor * 1000 + patch
  const made = await oms.version({ verCode, fileName: 'xiaozhi.bin', content: randomBytes(50_000), ...fields })
  await oms.query('update ota_versions set ver_name = $2 where ota_id = $1', [made.otaId, version])
  return made
}

const tasksOf = (id: number) =>
  oms.query('select task_id, state, ver_code from ota_tasks where device_id = $1 order by task_id', [id])
const get = (url: string, headers = {}) => oms.send(url, { token: null, headers })

beforeAll(async () => {
  await oms.query(`update device_models set boards = '{wifi,wifi-lcd}' where model_code = 'C1'`)
  await oms.query(`update device_models set boards = '{cube}' where model_code = 'C2'`)
})
beforeEach(async () => {
  await oms.query(`update ota_versions set status = 2`)
  await oms.sync()
})

describe('AGENT-05 firmware by board through ordinary releases', () => {
  test('a boot offers the firmware, the first byte starts the task, and the next boot completes the task', async () => {
    const { device, id } = await bound()
    const { bytes } = await release('2.0.10')
    expect(await device.boot()).toMatchObject({ firmware: { version: '2.0.10' } })
    expect(device.hasUpgrade).toBe(true)
    expect(await tasksOf(id)).toMatchObject([{ state: 0, ver_code: 2_000_010 }])
    const { url } = device.answer.firmware
    expect(url.startsWith(`${oms.origin}/xiaozhi/otaMag/download/`)).toBe(true)
    expect((await device.boot()).firmware.version).toBe('2.0.10')
    expect(await tasksOf(id)).toHaveLength(1)
    expect((await device.upgrade()).equals(bytes)).toBe(true)
    expect((await tasksOf(id))[0].state).toBeGreaterThanOrEqual(10)
    expect((await device.boot()).firmware).toMatchObject({ version: '2.0.10' })
    expect(device.hasUpgrade).toBe(false)
    expect(await tasksOf(id)).toMatchObject([{ state: 100 }])
    expect(await oms.query('select ver_code from devices where id = $1', [id])).toEqual([{ ver_code: 2_000_010 }])
    expect((await get(url)).status).toBe(404)
  })

  test('the download link supports ranges and returns a length; a link with a changed token returns 404', async () => {
    const { device } = await bound()
    const { bytes } = await release('2.1.0')
    await device.boot()
    const { url } = device.answer.firmware
    const part = await get(url, { range: 'bytes=100-199' })
    expect([part.status, part.headers['content-length'], part.body.equals(bytes.subarray(100, 200))]).toEqual([
      206,
      '100',
      true,
    ])
    const whole = await get(url)
    expect([whole.status, whole.headers['content-type'], whole.headers['content-length']]).toEqual([
      200,
      'application/octet-stream',
      '50000',
    ])
    expect((await get(`${url}A`)).status).toBe(404)
    expect((await get(url.replace(/[^/]+$/, (token: string) => `1${token}`))).status).toBe(404)
    expect((await oms.send(url, { method: 'POST', token: null })).status).toBe(405)
  })

  test('a device whose board is not listed in the model never gets a firmware image', async () => {
    const { device, id } = await bound()
    await release('2.2.0')
    for (const board of ['someone-elses-board', '', 'WIFI']) {
      const answer = await device.boot({ ...device.report, board: { type: board } })
      expect(answer.firmware.version).toBe('1.0.0')
      expect((await get(answer.firmware.url)).status).toBe(404)
    }
    expect((await device.boot('{"application":{"version":"1.0.0"}')).firmware.version).toBe('0.0.0')
    expect(await tasksOf(id)).toEqual([])
    expect((await device.boot({ ...device.report, board: { type: 'wifi-lcd' } })).firmware.version).toBe('2.2.0')
  })

  test('a device that reports the board of another model moves to that model and loses the open task', async () => {
    const { device, id } = await bound()
    await release('2.3.0')
    await device.boot()
    const { url } = device.answer.firmware
    await release('3.0.0', { modelId: 2 })
    const answer = await device.boot({ ...device.report, board: { type: 'cube' } })
    expect(answer.firmware.version).toBe('3.0.0')
    expect(await tasksOf(id)).toMatchObject([{ state: 120 }, { state: 0, ver_code: 3_000_000 }])
    expect((await get(url)).status).toBe(404)
    const mac = device.mac.replaceAll(':', '')
    expect(await oms.query('select detail from agent_events where mac = $1 and kind = 9', [mac])).toEqual([
      { detail: { board: 'cube', modelId: 2 } },
    ])
  })

  test('without automatic updates, a boot offers only a pushed task', async () => {
    const { device, id } = await bound()
    const { otaId } = await release('2.4.0')
    await oms.query('update agent_devices set auto_update = 0 where device_id = $1', [id])
    expect((await device.boot()).firmware).toBeUndefined()
    await oms.query(
      `insert into ota_tasks (ota_id, device_id, tenant_id, model_id, package_name, ver_code, state, attempt, pushed)
       values ($1, $2, 1, 1, '', 2004000, 0, 1, true)`,
      [otaId, id],
    )
    await oms.sync()
    expect((await device.boot()).firmware.version).toBe('2.4.0')
  })

  test('the boot response has no firmware object when the limit of upgrades per minute is reached', async () => {
    const { device } = await bound()
    const other = await bound()
    await release('2.5.0', { policy: { per_minute: 1 } })
    expect((await other.device.boot()).firmware.version).toBe('2.5.0')
    expect((await device.boot()).firmware).toBeUndefined()
  })

  test('a boot offers no version whose name differs from its number, and none without a .bin image', async () => {
    const { device, id } = await bound()
    const { otaId } = await release('2.6.0')
    await oms.query(`update ota_versions set ver_name = 'v2.6.0' where ota_id = $1`, [otaId])
    await release('2.6.1', { fileName: 'xiaozhi.zip' })
    expect((await device.boot()).firmware.version).toBe('1.0.0')
    expect(await tasksOf(id)).toEqual([])
  })

  test('a cancelled task ends at the next boot, and its download link is invalid at once', async () => {
    const { device, id } = await bound()
    await release('2.7.0')
    await device.boot()
    const { url } = device.answer.firmware
    await get(url)
    await oms.query('update ota_tasks set state = 50 where device_id = $1', [id])
    await oms.sync()
    expect((await get(url)).status).toBe(404)
    expect((await device.boot()).firmware.version).toBe('1.0.0')
    expect(await tasksOf(id)).toMatchObject([{ state: 120 }])
  })

  test('a device with a version of four parts is stored without a version number and gets no upgrade', async () => {
    const { device, id } = await bound({ version: '9.9.9.9' })
    await device.boot()
    expect(await oms.query('select ver_code from devices where id = $1', [id])).toEqual([{ ver_code: null }])
    await release('2.8.0')
    await device.boot()
    expect(device.hasUpgrade).toBe(false)
  })

  test('simultaneous boots of a device at three processes create one task', async () => {
    const { device, id } = await bound()
    await release('2.9.0')
    const twins = await Promise.all([oms.another(), oms.another()])
    const all = [oms.origin, ...twins.map(({ origin }) => origin)].map(
      (origin) =>
        new XiaozhiDevice(`${origin}/xiaozhi/ota/`, {
          mac: device.mac,
          clientId: device.clientId,
          board: 'wifi',
          version: '1.0.0',
        }),
    )
    await Promise.all(twins.map(({ sync }) => sync()))
    await Promise.all(all.map((each) => each.boot()))
    expect(await tasksOf(id)).toHaveLength(1)
  })
})
