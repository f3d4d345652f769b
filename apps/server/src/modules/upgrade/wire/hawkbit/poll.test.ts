import { beforeEach, describe, expect, test } from 'vitest'
import { deviceQueries, queriesOfEveryRun } from '#test/device-queries.ts'
import { GATEWAY, deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const IDLE = /^\{"config":\{"polling":\{"sleep":"00:0\d:\d\d"\}\}\}$/

beforeEach(async () => {
  await oms.query(`update ota_versions set status = 2`)
  await oms.sync()
})

describe('device poll', () => {
  test('a poll without an update returns a poll interval that varies by device, and writes nothing', async () => {
    const sleeps = new Set<string>()
    for (let i = 0; i < 12; i++) {
      const { root } = await oms.device()
      const reply = await oms.send(root)
      expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/json'])
      expect(reply.body.toString()).toMatch(IDLE)
      const sleep: string = reply.json().config.polling.sleep
      expect(sleep).toHaveLength(8)
      expect((await oms.send(root)).json().config.polling.sleep).toBe(sleep)
      sleeps.add(sleep)
    }
    expect(sleeps.size).toBeGreaterThan(4)
    let root = ''
    const creation = async () => {
      root = (await oms.device()).root
    }
    expect(await deviceQueries(creation)).not.toEqual([])
    const polls = async () => {
      for (let n = 0; n < 20; n++) await oms.send(root)
    }
    expect(await queriesOfEveryRun(polls)).toEqual([])
  })

  test('a poll with an unknown serial number, a wrong token, another tenant or a disabled device gets 401', async () => {
    const { root, sn, id } = await oms.device()
    expect((await oms.send(root, { token: 'wrong' })).status).toBe(401)
    expect((await oms.send(root, { token: null })).status).toBe(401)
    expect((await oms.send(root, { token: null, headers: { authorization: 'Basic x' } })).status).toBe(401)
    expect((await oms.send('/default/controller/v1/nobody')).status).toBe(401)
    expect((await oms.send(`/ACME/controller/v1/${sn}`)).status).toBe(401)
    expect((await oms.send(`/nowhere/controller/v1/${sn}`)).status).toBe(401)
    expect((await oms.send(`/DeFault/controller/v1/${sn}`)).status).toBe(200)
    await oms.query('update devices set status = 0 where id = $1', [id])
    await oms.sync()
    expect((await oms.send(root)).status).toBe(401)
  })

  test('the gateway token registers an unknown serial number once with the configured model, while permitted', async () => {
    const asGateway = { token: null, headers: { authorization: `GatewayToken ${GATEWAY}` } }
    expect((await oms.send('/DEFAULT/controller/v1/GW-1', asGateway)).status).toBe(401)
    await oms.gateway({ modelId: 2 })
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => oms.send('/DEFAULT/controller/v1/GW-1', asGateway)),
    )
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(replies[0]!.json()._links.configData.href).toBe(`${oms.origin}/DEFAULT/controller/v1/GW-1/configData`)
    expect(await oms.query(`select model_id, tenant_id from devices where sn = 'GW-1'`)).toEqual([
      { model_id: 2, tenant_id: 1 },
    ])
    expect((await oms.send('/DEFAULT/controller/v1/gw-1', asGateway)).status).toBe(401)
    expect(oms.logs.filter((line) => line.includes('serial in another case'))).toHaveLength(1)
    await oms.query('update device_access set auto_model_id = null')
    await oms.sync()
    expect((await oms.send('/DEFAULT/controller/v1/GW-2', asGateway)).status).toBe(401)
    await oms.query('delete from device_access')
    await oms.sync()
    expect((await oms.send('/DEFAULT/controller/v1/GW-1', asGateway)).status).toBe(401)
  })

  test('a new device gets a short poll interval until it reports its version or its first poll is stored', async () => {
    const { root, id } = await oms.device({ verCode: null })
    await oms.query('update devices set attributes_wanted = 1 where id = $1', [id])
    const { otaId } = await oms.version()
    await oms.query('update ota_versions set old_ver_min = 1 where ota_id = $1', [otaId])
    await oms.sync()
    const first = await oms.poll(root)
    expect(first.href).toBeUndefined()
    expect(first.body._links.configData).toBeDefined()
    expect(first.body.config.polling.sleep).toMatch(/^00:00:1[2-8]$/)
    expect((await oms.put(`${root}/configData`, { data: { verCode: '100' } })).status).toBe(200)
    expect((await oms.poll(root)).href).toBeDefined()
    // A device that never reports becomes an ordinary device after its first stored poll.
    const silent = await oms.device({ verCode: null })
    await oms.query('update devices set attributes_wanted = 1 where id = $1', [silent.id])
    await oms.sync()
    await oms.poll(silent.root)
    await oms.side.presence.flush()
    expect((await oms.poll(silent.root)).body.config.polling.sleep).toMatch(/^00:0[4-6]:/)
  })

  test('the first poll that matches a version creates one task, and later polls return the same task', async () => {
    const { root, id } = await oms.device()
    const { otaId } = await oms.version()
    const polls = await Promise.all([1, 2, 3, 4].map(() => oms.poll(root)))
    const { taskId } = await oms.poll(root)
    expect(polls.map(({ reply }) => reply.status)).toEqual([200, 200, 200, 200])
    const rows = await oms.query('select task_id, ota_id, from_ver_code, state from ota_tasks where device_id = $1', [
      id,
    ])
    expect(rows).toEqual([{ task_id: taskId, ota_id: otaId, from_ver_code: 100, state: 0 }])
    expect((await oms.poll(root)).href).toBe(`${oms.origin}${root}/deploymentBase/${taskId}?c=${otaId}`)
  })

  test('a client that sends the ETag of the current response gets 304', async () => {
    const { root } = await oms.device()
    const first = await oms.send(root, { headers: { 'if-none-match': '"x"' } })
    expect((await oms.send(root, { headers: { 'if-none-match': first.headers.etag as string } })).status).toBe(304)
  })
})
