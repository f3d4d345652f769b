import { beforeEach, describe, expect, test } from 'vitest'
import { queriesOfEveryRun } from '#test/device-queries.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const CLOSED = { id: '1', status: { execution: 'closed', result: { finished: 'success' }, details: [] } }
const proceeding = { status: { execution: 'proceeding', result: { finished: 'none' } } }

beforeEach(async () => {
  await oms.query(`update ota_versions set status = 2`)
  await oms.sync()
})

/** Returns a daily window that opens and closes this many minutes from now. */
function daily(from: number, to: number) {
  const { minute } = oms.services.fleet.moment(Date.now())
  const at = (offset: number) => (minute + offset + 1440) % 1440
  return { daily_start: at(from), daily_end: at(to) }
}
async function setWindow(otaId: number, from: number, to: number) {
  const { daily_start, daily_end } = daily(from, to)
  await oms.query('update ota_policies set daily_start = $2, daily_end = $3 where ota_id = $1', [
    otaId,
    daily_start,
    daily_end,
  ])
  await oms.sync()
}
const secondsOf = (text: string) => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)

describe('daily window of a release', () => {
  test('a downloaded update waits until the window opens, and a running installation continues after it closes', async () => {
    const { root, sn } = await oms.device()
    const { otaId, componentId, fileName, bytes } = await oms.version({ policy: daily(-60, 60) })
    const open = await oms.poll(root)
    expect((await oms.send(open.href!)).json().deployment).toMatchObject({
      download: 'forced',
      update: 'forced',
      maintenanceWindow: 'available',
    })
    await setWindow(otaId, 120, 180)
    await oms.send(open.href!)
    const shut = await oms.poll(root)
    expect(shut.body._links).toBeUndefined()
    expect(secondsOf(shut.body.config.polling.sleep)).toBeGreaterThanOrEqual(30)
    expect((await oms.send(open.href!)).json().deployment).toMatchObject({
      download: 'forced',
      update: 'skip',
      maintenanceWindow: 'unavailable',
    })
    const link = `${root}/softwaremodules/${componentId}/artifacts/${fileName}`
    expect((await oms.send(link)).body.equals(bytes)).toBe(true)
    const told = (await oms.plain('check', { sn, verCode: 100 })).json()
    expect(told).toMatchObject({ taskId: open.taskId, install: 'wait', waitSeconds: expect.any(Number) })
    expect(Math.abs(told.waitSeconds - 7200)).toBeLessThan(180)

    await setWindow(otaId, -1, 60)
    expect((await oms.poll(root)).href).toBe(open.href)
    expect((await oms.plain('check', { sn, verCode: 100 })).json().install).toBeUndefined()
    await oms.post(`${root}/deploymentBase/${open.taskId}/feedback`, proceeding)
    expect((await oms.taskRow(open.taskId)).state).toBe(40)
    await setWindow(otaId, 120, 180)
    const going = (await oms.send((await oms.poll(root)).href!)).json().deployment
    expect(going).toMatchObject({ update: 'forced', maintenanceWindow: 'available' })
  })

  test('no task starts while the window is closed, except on allowlisted devices', async () => {
    const { root, sn } = await oms.device()
    const white = await oms.device()
    const { otaId } = await oms.version({ policy: daily(-60, 60) })
    const { taskId } = await oms.poll(root)
    await oms.query('insert into ota_whites (ota_id, device_id) values ($1, $2)', [otaId, white.id])
    await setWindow(otaId, 120, 180)
    const { body } = await oms.poll(root)
    expect(body._links).toBeUndefined()
    expect((await oms.plain('check', { sn, verCode: 100 })).status).toBe(204)
    expect((await oms.taskRow(taskId)).state).toBe(0)
    const free = await oms.poll(white.root)
    const { deployment } = (await oms.send(free.href!)).json()
    expect([deployment.update, deployment.maintenanceWindow]).toEqual(['forced', undefined])
  })

  test('a device that closes a skipped task has not succeeded, and gets the task again when the window opens', async () => {
    const { root, id } = await oms.device()
    const { otaId } = await oms.version({ policy: daily(-60, 60) })
    const { taskId, href } = await oms.poll(root)
    await setWindow(otaId, 120, 180)
    for (let i = 0; i < 2; i++) expect((await oms.send(href!)).json().deployment.update).toBe('skip')
    expect((await oms.post(`${root}/deploymentBase/${taskId}/feedback`, CLOSED)).status).toBe(200)
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 0, reason: '不在发布的每日时间段内，设备稍后再升级' })
    expect(await oms.query('select ver_code from devices where id = $1', [id])).toEqual([{ ver_code: 100 }])
    expect(await oms.query('select state from ota_task_logs where task_id = $1 order by id', [taskId])).toHaveLength(2)
    await setWindow(otaId, -60, 60)
    expect((await oms.poll(root)).taskId).toBe(taskId)
    expect((await oms.send(href!)).json().deployment.update).toBe('forced')
    await oms.post(`${root}/deploymentBase/${taskId}/feedback`, CLOSED)
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 100, reason: '' })
  })

  test('a release without a daily window sends no maintenance window', async () => {
    const { root } = await oms.device()
    await oms.version()
    const { deployment } = (await oms.send((await oms.poll(root)).href!)).json()
    expect(deployment.maintenanceWindow).toBeUndefined()
  })
})

describe('installedBase', () => {
  test('installedBase refers to the last installed action in every response, never to a failed action', async () => {
    const { root } = await oms.device()
    const linkOf = async () => (await oms.poll(root)).body._links?.installedBase?.href as string | undefined
    const install = async (verCode: number, feedback: object) => {
      await oms.version({ verCode })
      const { taskId, href } = await oms.poll(root)
      await oms.send(href!)
      await oms.post(`${root}/deploymentBase/${taskId}/feedback`, feedback)
      return taskId
    }
    const first = await install(7001, CLOSED)
    expect(await linkOf()).toBe(`${oms.origin}${root}/installedBase/${first}`)
    const failed = { status: { execution: 'closed', result: { finished: 'failure' }, details: ['no'] } }
    const second = await install(7002, failed)
    expect(await linkOf()).toBe(`${oms.origin}${root}/installedBase/${first}`)
    expect((await oms.send(`${root}/installedBase/${second}`)).status).toBe(404)
    const third = await install(7003, CLOSED)
    const link = await linkOf()
    expect(link).toBe(`${oms.origin}${root}/installedBase/${third}`)
    expect((await oms.send(link!)).json()).toMatchObject({
      id: String(third),
      deployment: { chunks: [{ version: 'v7003' }] },
    })
    const other = await oms.device()
    expect((await oms.poll(other.root)).body._links?.installedBase).toBeUndefined()
    expect((await oms.send(`${other.root}/installedBase/${third}`)).status).toBe(404)
  })

  test('every process sends installedBase to idle devices without a database query', async () => {
    const { root, id } = await oms.device()
    await oms.version({ verCode: 7101 })
    const { taskId, href } = await oms.poll(root)
    await oms.send(href!)
    await oms.post(`${root}/deploymentBase/${taskId}/feedback`, CLOSED)
    await oms.query('update devices set attributes_wanted = 0 where id = $1', [id])
    await oms.sync()
    const links = (origin: string) => ({ installedBase: { href: `${origin}${root}/installedBase/${taskId}` } })
    const { reply, body } = await oms.poll(root)
    expect(body._links).toEqual(links(oms.origin))
    expect([reply.headers['content-type'], body.config.polling.sleep]).toEqual(['application/json', expect.any(String)])
    // A request with an ETag takes the slower path and gets the same body.
    const long = await oms.send(root, { headers: { 'if-none-match': '"x"' } })
    expect(long.json()).toEqual(body)
    // A process started later has loaded the task; a running process has synchronised the task.
    const late = await oms.another()
    expect((await oms.send(late.origin + root)).json()._links).toEqual(links(late.origin))
    const polls = async () => {
      for (let i = 0; i < 20; i++) await oms.send(root)
    }
    expect(await queriesOfEveryRun(polls)).toEqual([])
    // The link uses the host of the request. An invalid host is refused.
    const named = await oms.send(root, { headers: { host: 'oms.example.com' } })
    expect(named.json()._links).toEqual(links('http://oms.example.com'))
    expect((await oms.send(root, { headers: { host: 'a"b' } })).status).toBe(400)
  })
})
