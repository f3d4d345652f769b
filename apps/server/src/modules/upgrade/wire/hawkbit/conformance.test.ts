import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { deviceLab, TOKEN } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const CLOSED = { status: { execution: 'closed', result: { finished: 'success' }, details: ['done'] } }

describe('requests of hawkBit clients', () => {
  test('a client that accepts only CBOR gets 406, and compressed or CBOR reports get 415 and change nothing', async () => {
    const { root } = await oms.device()
    expect((await oms.send(root, { headers: { accept: 'application/cbor' } })).status).toBe(406)
    expect((await oms.send(root, { headers: { accept: 'application/cbor, application/json' } })).status).toBe(200)
    await oms.version()
    const { taskId } = await oms.poll(root)
    expect((await oms.send(root, { headers: { accept: 'application/cbor' } })).status).toBe(406)
    const path = `${root}/deploymentBase/${taskId}/feedback`
    const failure = JSON.stringify({ status: { execution: 'closed', result: { finished: 'failure' } } })
    for (const [headers, body] of [
      [{ 'content-encoding': 'gzip' }, gzipSync(failure)],
      [{ 'content-type': 'application/cbor' }, Buffer.from('a16673746174757300', 'hex')],
    ] as const)
      expect((await oms.post(path, body, { headers })).status).toBe(415)
    expect(await oms.query('select 1 from ota_task_logs where task_id = $1', [taskId])).toEqual([])
    expect((await oms.post(path, failure)).status).toBe(200)
  })

  test('deployment, history and files of the last installed task stay available', async () => {
    const { root } = await oms.device({ modelId: 2 })
    const { componentId, fileName, bytes } = await oms.version({ modelId: 2 })
    const { taskId } = await oms.poll(root)
    await oms.post(`${root}/deploymentBase/${taskId}/feedback`, CLOSED)
    const history = { status: 'FINISHED', messages: ['done'] }
    for (const name of ['deploymentBase', 'installedBase'])
      expect((await oms.send(`${root}/${name}/${taskId}?actionHistory=5`)).json()).toMatchObject({
        id: String(taskId),
        deployment: { chunks: [{}] },
        actionHistory: history,
      })
    const files = `${root}/softwaremodules/${componentId}/artifacts`
    expect((await oms.send(files)).json()).toMatchObject([{ filename: fileName }])
    expect((await oms.send(`${files}/${fileName}`)).body.equals(bytes)).toBe(true)
    expect((await oms.taskRow(taskId)).state).toBe(100)
  })

  test('a confirmation can be revoked before the download, and the activation of auto-confirmation needs no body', async () => {
    const { root } = await oms.device()
    await oms.version({ policy: { need_confirm: true } })
    const { taskId, href } = await oms.poll(root)
    await oms.post(`${href}/feedback`, { confirmation: 'confirmed' })
    expect((await oms.poll(root)).href).toContain('deploymentBase')
    expect((await oms.post(`${href}/feedback`, { confirmation: 'denied' })).status).toBe(200)
    expect((await oms.poll(root)).href).toContain('confirmationBase')
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 5, reason: '设备用户撤回了同意' })
    expect((await oms.post(`${root}/confirmationBase/activateAutoConfirm`, '')).status).toBe(200)
    expect(Object.keys((await oms.send(`${root}/confirmationBase`)).json().autoConfirm)).toEqual([
      'active',
      'activatedAt',
    ])
    await oms.send((await oms.poll(root)).href!)
    await oms.query('update ota_tasks set state = 20 where task_id = $1', [taskId])
    expect((await oms.post(`${href}/feedback`, { confirmation: 'denied' })).status).toBe(404)
  })

  test('file downloads support date conditions, unquoted entity tags and range units in upper or lower case', async () => {
    const { root } = await oms.device()
    const { componentId, fileName, bytes } = await oms.version()
    await oms.poll(root)
    const get = (headers: Record<string, string>) =>
      oms.send(`${root}/softwaremodules/${componentId}/artifacts/${fileName}`, { headers })
    const date = (await get({})).headers['last-modified']!
    const sha1 = createHash('sha1').update(bytes).digest('hex')
    expect((await get({ 'if-modified-since': date })).status).toBe(304)
    expect((await get({ 'if-modified-since': new Date(0).toUTCString() })).status).toBe(200)
    expect((await get({ 'if-modified-since': date, 'if-none-match': '"other"' })).status).toBe(200)
    expect((await get({ 'if-match': sha1, range: 'Bytes=0-9' })).body.length).toBe(10)
    expect((await get({ 'if-range': date, range: 'bytes=0-9' })).status).toBe(206)
    expect((await get({ 'if-range': new Date(0).toUTCString(), range: 'bytes=0-9' })).status).toBe(200)
  })

  test('an HTTP/1.0 client that sends no Host header gets links to the address that it called', async () => {
    const { root } = await oms.device()
    await oms.version()
    const { port } = new URL(oms.origin)
    const text = await new Promise<string>((done, fail) => {
      const socket = connect(Number(port), '127.0.0.1')
      let received = ''
      socket.on('data', (chunk) => (received += chunk.toString()))
      socket.on('end', () => done(received))
      socket.on('error', fail)
      socket.write(`GET ${root} HTTP/1.0\r\nAuthorization: targettoken ${TOKEN}\r\n\r\n`)
    })
    expect(text).toMatch(/ 200 /)
    expect(text).toContain(`http://127.0.0.1:${port}${root}/deploymentBase/`)
  })
})
