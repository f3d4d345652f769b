import { beforeEach, describe, expect, test } from 'vitest'
import { closeSilentDevices } from '#main/devices/device-jobs.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const IDLE = /^\{"config":\{"polling":\{"sleep":"00:0\d:\d\d"\}\}\}$/
const CLOSED = { id: '1', status: { execution: 'closed', result: { finished: 'success' }, details: [] } }

beforeEach(async () => {
  await oms.query(`update ota_versions set status = 2`)
  await oms.sync()
})

describe('calls other than deployment feedback', () => {
  test('a cancellation that the device rejected can be requested again; feedback without a cancellation gets 405', async () => {
    const { root } = await oms.device()
    await oms.version()
    const { taskId, href } = await oms.poll(root)
    const path = `${root}/cancelAction/${taskId}`
    expect((await oms.send(path)).status).toBe(404)
    expect((await oms.post(`${path}/feedback`, CLOSED)).status).toBe(405)
    const order = async () => {
      await oms.query('update ota_tasks set state = 50 where task_id = $1', [taskId])
      await oms.sync()
    }
    await order()
    expect((await oms.send(path)).json()).toEqual({ id: String(taskId), cancelAction: { stopId: String(taskId) } })
    await oms.post(`${path}/feedback`, {
      status: { execution: 'rejected', result: { finished: 'none' }, details: ['too late'] },
    })
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 40, reason: 'too late' })
    expect((await oms.send(href!)).status).toBe(200)
    await order()
    await oms.post(`${path}/feedback`, { status: { execution: 'proceeding', result: { finished: 'none' } } })
    expect((await oms.taskRow(taskId)).state).toBe(50)
    expect((await oms.post(`${path}/feedback`, CLOSED)).status).toBe(200)
    expect((await oms.taskRow(taskId)).state).toBe(120)
    expect((await oms.post(`${path}/feedback`, CLOSED)).status).toBe(410)
    expect((await oms.poll(root)).href).toBeUndefined()
  })

  test('a failed cancellation fails the task, and the report `canceled` cancels the task', async () => {
    await oms.version()
    for (const [execution, finished, state] of [
      ['closed', 'failure', 110],
      ['canceled', 'none', 120],
    ]) {
      const { root } = await oms.device()
      const { taskId } = await oms.poll(root)
      await oms.query('update ota_tasks set state = 50 where task_id = $1', [taskId])
      await oms.sync()
      await oms.post(`${root}/cancelAction/${taskId}/feedback`, { status: { execution, result: { finished } } })
      expect((await oms.taskRow(taskId)).state).toBe(state)
      expect((await oms.poll(root)).href).toBeUndefined()
    }
  })

  test('a task that needs confirmation starts after the device confirms it; auto-confirm needs no confirmation', async () => {
    const { root } = await oms.device()
    await oms.version({ policy: { need_confirm: true } })
    const { taskId, href, body } = await oms.poll(root)
    expect(Object.keys(body._links)).toEqual(['confirmationBase'])
    expect((await oms.send(`${root}/deploymentBase/${taskId}`)).status).toBe(404)
    expect((await oms.send(href!)).json()).toMatchObject({ id: String(taskId), confirmation: { chunks: [{}] } })
    expect((await oms.send(`${root}/confirmationBase`)).json()).toMatchObject({
      autoConfirm: { active: false },
      _links: { activateAutoConfirm: {}, confirmationBase: {} },
    })
    expect((await oms.post(`${href}/feedback`, { confirmation: 'perhaps' })).status).toBe(400)
    await oms.post(`${href}/feedback`, { confirmation: 'denied', details: ['not now'] })
    expect((await oms.taskRow(taskId)).state).toBe(5)
    await oms.post(`${href}/feedback`, { confirmation: 'confirmed' })
    expect((await oms.poll(root)).href).toContain('deploymentBase')
    await oms.post(`${root}/deploymentBase/${taskId}/feedback`, CLOSED)
    await oms.version({ verCode: 5000, policy: { need_confirm: true } })
    expect((await oms.poll(root)).href).toContain('confirmationBase')
    expect((await oms.post(`${root}/confirmationBase/activateAutoConfirm`, { initiator: 'owner' })).status).toBe(200)
    expect((await oms.post(`${root}/confirmationBase/activateAutoConfirm`, {})).status).toBe(409)
    expect((await oms.poll(root)).href).toContain('deploymentBase')
    expect((await oms.send(`${root}/confirmationBase`)).json().autoConfirm).toMatchObject({
      active: true,
      initiator: 'owner',
    })
    expect((await oms.post(`${root}/confirmationBase/deactivateAutoConfirm`, '')).status).toBe(200)
    expect((await oms.post(`${root}/confirmationBase/deactivateAutoConfirm`, '')).status).toBe(409)
  })

  test('attributes can be merged, replaced and removed within limits; a version attribute sets the device version', async () => {
    const { root, id } = await oms.device()
    await oms.query('update devices set attributes_wanted = 1 where id = $1', [id])
    await oms.sync()
    const put = (data: object, mode?: string) =>
      oms.put(`${root}/configData`, { id: '', time: 'x', status: {}, ...(mode && { mode }), data })
    const stored = async () =>
      (await oms.query('select data from device_attributes where device_id = $1', [id]))[0].data
    expect((await oms.send(root)).json()._links.configData).toBeDefined()
    expect((await put({ a: '1', b: 2, verCode: '0150', hwVer: 'B' })).status).toBe(200)
    expect((await oms.send(root)).body.toString()).toMatch(IDLE)
    expect(await oms.query('select ver_code, hw_ver from devices where id = $1', [id])).toEqual([
      { ver_code: 150, hw_ver: 'B' },
    ])
    await put({ b: null, c: '3' }, 'merge')
    expect(await stored()).toEqual({ a: '1', c: '3', verCode: '0150', hwVer: 'B' })
    await put({ a: '' }, 'remove')
    await put({ z: '中文' }, 'replace')
    expect(await stored()).toEqual({ z: '中文' })
    for (const bad of [{ ['k'.repeat(129)]: '1' }, { k: 'v'.repeat(129) }, { k: { deep: 1 } }, { 'a\u0007': '1' }])
      expect((await put(bad)).status).toBe(400)
    expect((await put({ a: '1' }, 'other')).status).toBe(400)
    expect((await put(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, 'v'])))).status).toBe(400)
    expect(await stored()).toEqual({ z: '中文' })
  })

  test('installedBase sets the version of the device by number or name and closes an open task', async () => {
    const { root, id } = await oms.device()
    await oms.version({ verCode: 3000 })
    const { taskId, href } = await oms.poll(root)
    await oms.send(href!)
    expect((await oms.put(`${root}/installedBase`, { name: 'os', version: 'v3000' })).status).toBe(201)
    expect((await oms.put(`${root}/installedBase`, { name: 'os', version: '3000' })).status).toBe(200)
    expect((await oms.put(`${root}/installedBase`, { name: 'os', version: 'nothing' })).status).toBe(400)
    expect((await oms.taskRow(taskId)).state).toBe(100)
    expect(await oms.query('select ver_code from devices where id = $1', [id])).toEqual([{ ver_code: 3000 }])
  })

  test('silent tasks end after their time limit, cancelled ones as cancelled; silent devices become offline', async () => {
    const [a, b, c] = [await oms.device(), await oms.device(), await oms.device()]
    await oms.version({ policy: { timeout_minutes: 30 } })
    const tasks = [await oms.poll(a.root), await oms.poll(b.root), await oms.poll(c.root)].map(({ taskId }) => taskId)
    await oms.query(`update ota_tasks set state = 50 where task_id = $1`, [tasks[1]])
    await oms.query(`update ota_tasks set update_time = now() - interval '31 minutes' where task_id = any($1)`, [
      tasks.slice(0, 2),
    ])
    await oms.side.presence.flush()
    expect(await oms.query('select online, ip from devices where id = $1', [a.id])).toEqual([
      { online: 1, ip: '127.0.0.1' },
    ])
    await oms.query(`update devices set last_online_time = now() - interval '1 hour' where id = $1`, [a.id])
    await closeSilentDevices(oms.services)
    expect(
      (await oms.query('select state, reason from ota_tasks where task_id = any($1) order by task_id', [tasks])).map(
        ({ state }) => state,
      ),
    ).toEqual([110, 120, 0])
    expect(await oms.query('select id, online from devices where id = any($1) order by id', [[a.id, b.id]])).toEqual([
      { id: a.id, online: 0 },
      { id: b.id, online: 1 },
    ])
  })

  test('tasks per minute and simultaneous downloads are limited; further devices get a longer poll interval', async () => {
    const devices = [await oms.device(), await oms.device(), await oms.device()]
    const { otaId } = await oms.version({ policy: { per_minute: 2 } })
    const polls = []
    for (const { root } of devices) polls.push(await oms.poll(root))
    expect(polls.map(({ href }) => href !== undefined)).toEqual([true, true, false])
    expect(polls[2]!.body.config.polling.sleep).toMatch(/^00:(0[1-9]|10):\d\d$/)
    await oms.query('update ota_policies set per_minute = null, max_downloads = 1 where ota_id = $1', [otaId])
    await oms.sync()
    await oms.send(polls[0]!.href!)
    await oms.sync()
    expect((await oms.poll(devices[1]!.root)).href).toBeUndefined()
    expect((await oms.poll(devices[2]!.root)).href).toBeUndefined()
    expect((await oms.poll(devices[0]!.root)).href).toBeDefined()
    await oms.post(`${devices[0]!.root}/deploymentBase/${polls[0]!.taskId}/feedback`, CLOSED)
    expect((await oms.poll(devices[1]!.root)).href).toBeDefined()
  })

  test('a device that calls too often gets 429, and other devices do not', async () => {
    const { root } = await oms.device()
    const other = await oms.device()
    const replies = await Promise.all(Array.from({ length: 300 }, () => oms.send(root)))
    const refused = replies.filter(({ status }) => status === 429)
    // A new minute can begin in between.
    expect(refused.length).toBeGreaterThanOrEqual(0)
    for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect((await oms.send(other.root)).status).toBe(200)
  })

  test('device calls get 503 with a retry time while the database is unavailable, and no token is logged', async () => {
    const { root } = await oms.device()
    await oms.version()
    const { pool } = oms.services.database
    const connect = pool.connect.bind(pool)
    // Covers both call styles, because a background job may query at this moment.
    const refuse = (done?: (error: Error) => void) => {
      const error = new Error('connection refused')
      return done ? done(error) : Promise.reject(error)
    }
    pool.connect = refuse as typeof pool.connect
    const reply = await oms.send(root)
    pool.connect = connect
    expect([reply.status, reply.headers['retry-after']]).toEqual([503, '30'])
    expect((await oms.poll(root)).href).toBeDefined()
    expect((await oms.send(root, { token: 'another-secret' })).status).toBe(401)
    expect(oms.logs.length).toBeGreaterThan(0)
    expect(oms.logs.join('')).not.toMatch(/token-of-one-device|another-secret|gateway-of-the/)
  })

  test('unknown calls get 404 or 405 and invalid URLs 400, never 500', async () => {
    const { root } = await oms.device()
    for (const path of [
      '/nothing',
      '/deploymentBase',
      '/deploymentBase/x',
      '/deploymentBase/99999999999',
      '/deploymentBase/0',
      '/softwaremodules/1',
    ])
      expect((await oms.send(root + path)).status).toBe(404)
    expect((await oms.send(root, { method: 'DELETE' })).status).toBe(405)
    expect((await oms.send(`${root}/deploymentBase/5`, { method: 'PUT' })).status).toBe(405)
    expect((await oms.send('/default/controller/v1/%E0%A4%A')).status).toBe(400)
    expect((await oms.send(`/default/controller/v1/${'x'.repeat(300)}`)).status).toBe(401)
  })
})
