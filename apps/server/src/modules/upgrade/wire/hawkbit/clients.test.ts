import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { deviceLab, GATEWAY, TOKEN } from '#test/fixtures/device-fixture.ts'

// Behaviour that rauc-hawkbit-updater 1.4 and Zephyr (2.x to 4.x) require. Debian packages neither, so the tests
// reproduce their requests.
const oms = deviceLab()
const CLIENT = { 'content-type': 'application/json;charset=UTF-8', accept: 'application/json;charset=UTF-8' }

beforeEach(async () => {
  await oms.query(`update ota_versions set status = 2`)
  await oms.sync()
})

const post = (path: string, body: string) => oms.post(path, body, { headers: CLIENT })
const put = (path: string, body: string) => oms.send(path, { method: 'PUT', body, headers: CLIENT })

describe('rauc-hawkbit-updater', () => {
  const said = (taskId: number, finished: string, execution: string, detail: string) =>
    JSON.stringify({
      id: String(taskId),
      time: '20261121T235959',
      status: { result: { finished }, execution, details: [detail] },
    })

  test('a RAUC device sends attributes, downloads, installs and reports each step', async () => {
    const { root, id } = await oms.device()
    await oms.query('update devices set attributes_wanted = 1 where id = $1', [id])
    const { bytes } = await oms.version({ fileName: 'bundle.raucb' })
    const { body, href, taskId } = await oms.poll(root)
    expect(body._links.configData.href).toBe(`${oms.origin}${root}/configData`)
    const identity =
      '{"time":"20261121T235959","status":{"result":{"finished":"success"},"execution":"closed"},"data":{"mac_address":"ff:ff:ff:ff:ff:ff","hwVer":"B2"}}'
    expect((await put(`${root}/configData`, identity)).status).toBe(200)
    expect(await oms.query('select hw_ver from devices where id = $1', [id])).toEqual([{ hw_ver: 'B2' }])
    const { id: action, deployment } = (await oms.send(href!, { headers: CLIENT })).json()
    expect([action, deployment.download, deployment.update]).toEqual([String(taskId), 'forced', 'forced'])
    expect('maintenanceWindow' in deployment).toBe(false)
    // The client closes the action as failed when there is more than one chunk or more than one file in it.
    expect([deployment.chunks.length, deployment.chunks[0].artifacts.length]).toEqual([1, 1])
    const [{ name, version, artifacts }] = deployment.chunks
    expect([name, version, artifacts[0].size].map((each) => typeof each)).toEqual(['string', 'string', 'number'])
    const file = await oms.send(artifacts[0]._links.download.href, { headers: { accept: 'application/octet-stream' } })
    expect(artifacts[0].hashes.sha1).toBe(createHash('sha1').update(file.body).digest('hex'))
    expect(file.body.equals(bytes)).toBe(true)
    // The client sends one more range request when the download broke off after the last byte.
    const beyond = await oms.send(artifacts[0]._links.download.href, { headers: { range: `bytes=${bytes.length}-` } })
    expect([beyond.status, beyond.body.length]).toEqual([416, 0])
    const path = `${root}/deploymentBase/${taskId}/feedback`
    for (const detail of [
      'Download complete. 11.32 MB/s',
      'File checksum OK.',
      'installing',
      ' 99% Updating slots done.',
    ])
      expect((await post(path, said(taskId, 'none', 'proceeding', detail))).status).toBe(200)
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 40 })
    const last = said(taskId, 'success', 'closed', 'Software bundle installed successfully.')
    expect((await post(path, last)).status).toBe(200)
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 100, reason: '' })
  })

  test("a RAUC device rejects a cancellation during an installation, and a failure keeps RAUC's reason", async () => {
    const { root } = await oms.device()
    await oms.version()
    const { taskId, href } = await oms.poll(root)
    await oms.send(href!)
    await oms.query('update ota_tasks set state = 50 where task_id = $1', [taskId])
    await oms.sync()
    const cancel = (await oms.poll(root)).body._links.cancelAction.href
    expect((await oms.send(cancel)).json()).toEqual({ id: String(taskId), cancelAction: { stopId: String(taskId) } })
    const refused = said(taskId, 'success', 'rejected', 'Cancelation impossible, installation started already.')
    expect((await post(`${root}/cancelAction/${taskId}/feedback`, refused)).status).toBe(200)
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 40 })
    const path = `${root}/deploymentBase/${taskId}/feedback`
    const why = 'LastError: signature verification failed: Verify error: self-signed certificate'
    for (const detail of [' 40% Checking bundle failed.', why, '100% Installing failed.', 'idle'])
      await post(path, said(taskId, 'none', 'proceeding', detail))
    await post(path, said(taskId, 'failure', 'closed', 'Failed to install software bundle.'))
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 110, reason: why.replace('LastError: ', '') })
  })

  test('a streamed RAUC bundle is read in ranges from the end, without the usual request limit', async () => {
    const { root, id } = await oms.device()
    const { componentId, bytes, fileName } = await oms.version({ size: 40_000 })
    const { taskId, href } = await oms.poll(root)
    await oms.send(href!)
    const link = `${root}/softwaremodules/${componentId}/artifacts/${fileName}`
    const piece = (from: number, to: number) => oms.send(link, { headers: { range: `bytes=${from}-${to}` } })
    expect((await piece(0, 3)).headers['content-range']).toBe('bytes 0-3/40000')
    expect((await piece(39_000, 39_999)).body.equals(bytes.subarray(39_000))).toBe(true)
    await until(async () => (await oms.taskRow(taskId)).state === 20)
    const { slots } = oms.services.fleet
    slots.calls[slots.slotOf(id)] = 239
    for (let from = 0; from < 38_900; from += 150)
      expect((await piece(from, Math.min(from + 149, 38_899))).status).toBe(206)
    // The state changes only after all bytes have been read.
    expect((await oms.taskRow(taskId)).state).toBe(20)
    expect((await piece(38_900, 38_999)).status).toBe(206)
    await until(async () => (await oms.taskRow(taskId)).state === 30)
    expect((await oms.poll(root)).reply.status).toBe(200)
  })

  test('a download that must wait sends its headers and is aborted, like a lost connection', async () => {
    const { root, id } = await oms.device()
    const { componentId, fileName } = await oms.version()
    await oms.send((await oms.poll(root)).href!)
    const { slots } = oms.services.fleet
    slots.calls[slots.slotOf(id)] = 240
    oms.side.holdMs = 20
    const link = `${root}/softwaremodules/${componentId}/artifacts/${fileName}`
    const raw = (range: string) =>
      new Promise<string>((done, fail) => {
        const socket = connect(Number(new URL(oms.origin).port), '127.0.0.1')
        let text = ''
        socket.on('data', (chunk) => (text += chunk.toString('latin1')))
        socket.on('end', () => done(text))
        socket.on('error', fail)
        socket.write(`GET ${link} HTTP/1.1\r\nHost: x\r\nAuthorization: TargetToken ${TOKEN}\r\n${range}\r\n`)
      })
    const [whole, rest] = await Promise.all([raw(''), raw('Range: bytes=60000-\r\n')])
    for (const [text, status, length] of [
      [whole, 200, 100_000],
      [rest, 206, 40_000],
    ] as const) {
      expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(text.toLowerCase()).toContain(`content-length: ${length}\r\n`)
      expect(text.endsWith('\r\n\r\n')).toBe(true)
    }
  })
})

describe('Zephyr', () => {
  // Zephyr writes the tenant in lower case and expects it in upper case in the download URL.
  const path = (sn: string, tail = '') => `/default/controller/v1/${sn}${tail}`
  const status = '"status":{"execution":"closed","result":{"finished":"success"}}'

  test('a Zephyr device reaches the file from the poll using only the fields that Zephyr reads', async () => {
    const { sn, id } = await oms.device({ sn: 'nrf52840dk_nrf52840-0123456789ABCDEF' })
    await oms.query('update devices set attributes_wanted = 1 where id = $1', [id])
    const { bytes } = await oms.version({ fileName: 'zephyr.signed.bin' })
    const poll = await oms.send(path(sn))
    expect(poll.headers['content-length']).toBe(String(poll.body.length))
    const { config, _links } = poll.json()
    expect(config.polling.sleep).toMatch(/^\d\d:\d\d:\d\d$/)
    const identity = `{"mode":"merge","data":{"VIN":"0123456789ABCDEF","hwRevision":"3"},"id":"","time":"",${status}}`
    expect((await put(path(sn, '/configData'), identity)).status).toBe(200)
    const tail = _links.deploymentBase.href.slice(_links.deploymentBase.href.indexOf('deploymentBase/'))
    expect(tail.length).toBeLessThan(50)
    const answer = await oms.send(path(sn, `/${tail}`))
    // Size of Zephyr's buffer. Newer versions enlarge the buffer if memory permits.
    expect(answer.body.length).toBeLessThanOrEqual(1100)
    expect(answer.headers['content-length']).toBe(String(answer.body.length))
    const { id: action, deployment } = answer.json()
    const [{ part, artifacts }] = deployment.chunks
    expect([deployment.chunks.length, part, artifacts.length, Number.isInteger(artifacts[0].size)]).toEqual([
      1,
      'bApp',
      1,
      true,
    ])
    const { href } = artifacts[0]._links['download-http']
    const file = href.slice(href.indexOf('/DEFAULT/controller/v1'))
    expect([href.indexOf('/DEFAULT/controller/v1'), file.length < 200]).toEqual([oms.origin.length, true])
    expect((await oms.send(file)).body.equals(bytes)).toBe(true)
    expect(artifacts[0].hashes.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
    // After the restart the client finds the action again by its id and closes the action.
    const again = (await oms.send(path(sn))).json()
    expect(again._links.deploymentBase.href).toBe(_links.deploymentBase.href)
    const closing = await post(path(sn, `/deploymentBase/${action}/feedback`), `{"id":"${action}",${status}}`)
    expect(closing.status).toBe(200)
    expect(await oms.taskRow(Number(action))).toMatchObject({ state: 100 })
    expect((await oms.send(path(sn))).json()._links.installedBase.href).toContain('/DEFAULT/controller/v1/')
  })

  test("the gateway token registers a device for the token's tenant, although the URL contains the platform", async () => {
    await oms.gateway({ tenantId: 7, modelId: 2 })
    const headers = { authorization: `GatewayToken ${GATEWAY}` }
    const { status: answered } = await oms.send(path('board-00FF'), { token: null, headers })
    expect(answered).toBe(200)
    expect(await oms.query(`select tenant_id, model_id from devices where sn = 'board-00FF'`)).toEqual([
      { tenant_id: 7, model_id: 2 },
    ])
    expect(
      (await oms.send(path('board-00FE'), { token: null, headers: { authorization: 'GatewayToken x' } })).status,
    ).toBe(401)
  })

  test('a Zephyr device completes a cancellation without reading its details', async () => {
    const { sn } = await oms.device()
    await oms.version()
    const { taskId } = await oms.poll(path(sn))
    await oms.query('update ota_tasks set state = 50 where task_id = $1', [taskId])
    await oms.sync()
    const { href } = (await oms.send(path(sn))).json()._links.cancelAction
    const tail = href.slice(href.indexOf('cancelAction/'))
    expect((await post(path(sn, `/${tail}/feedback`), `{"id":"${taskId}","time":"",${status}}`)).status).toBe(200)
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 120 })
  })
})

async function until(check: () => Promise<boolean>) {
  while (!(await check())) await new Promise((done) => setTimeout(done, 5))
}
