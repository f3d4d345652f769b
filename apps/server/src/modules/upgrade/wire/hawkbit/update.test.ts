import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
const CLOSED = { id: '1', status: { execution: 'closed', result: { finished: 'success' }, details: [] } }
const failure = (...details: string[]) => ({
  status: { execution: 'closed', result: { finished: 'failure' }, details },
})
const proceeding = (...details: string[]) => ({
  status: { execution: 'proceeding', result: { finished: 'none' }, details },
})

beforeEach(async () => {
  await oms.query(`update ota_versions set status = 2`)
  await oms.sync()
})

describe('firmware update', () => {
  test('an update runs from the poll to the installed version, and every state is recorded', async () => {
    const { root, id } = await oms.device()
    const { componentId, bytes, otaId } = await oms.version({ verCode: 2000, fileName: '固件 1.0.swu' })
    const { taskId, href } = await oms.poll(root)
    const offered = (await oms.send(`${href}&actionHistory=10`)).json()
    const sha1 = createHash('sha1').update(bytes).digest('hex')
    const link = `${oms.origin}${root}/softwaremodules/${componentId}/artifacts/${encodeURIComponent('固件 1.0.swu')}`
    expect(offered).toEqual({
      id: String(taskId),
      deployment: {
        download: 'forced',
        update: 'forced',
        chunks: [
          {
            part: 'bApp',
            version: 'v2000',
            name: '固件',
            artifacts: [
              {
                filename: '固件 1.0.swu',
                size: bytes.length,
                hashes: {
                  sha1,
                  md5: createHash('md5').update(bytes).digest('hex'),
                  sha256: createHash('sha256').update(bytes).digest('hex'),
                },
                _links: {
                  download: { href: link },
                  'download-http': { href: link },
                  md5sum: { href: `${link}.MD5SUM` },
                  'md5sum-http': { href: `${link}.MD5SUM` },
                },
              },
            ],
          },
        ],
      },
      actionHistory: { status: 'RETRIEVED', messages: [] },
    })
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 10 })
    expect((await oms.send(`${root}/softwaremodules/${componentId}/artifacts`)).json()).toEqual(
      offered.deployment.chunks[0].artifacts,
    )
    expect((await oms.post(`${root}/deploymentBase/${taskId}/feedback`, proceeding('begin'))).status).toBe(200)
    const whole = await oms.send(link)
    expect([whole.status, whole.headers.etag, whole.body.equals(bytes)]).toEqual([200, `"${sha1}"`, true])
    expect(whole.headers['content-disposition']).toContain(`filename*=UTF-8''${encodeURIComponent('固件 1.0.swu')}`)
    await until(async () => (await oms.taskRow(taskId)).state === 30)
    await oms.post(`${root}/deploymentBase/${taskId}/feedback`, proceeding('installing'))
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 40, progress: 100 })
    expect((await oms.send(`${root}/installedBase/${taskId}`)).status).toBe(404)
    // SWUpdate after its restart: the action remains until the device closes the action.
    expect((await oms.send(href!)).status).toBe(200)
    const closing = await Promise.all(
      [1, 2, 3].map(() => oms.post(`${root}/deploymentBase/${taskId}/feedback`, CLOSED)),
    )
    expect(closing.map(({ status }) => status).sort()).toEqual([200, 410, 410])
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 100, progress: 100, reason: '' })
    expect(await oms.query('select ver_code, source, task_id from device_versions where device_id = $1', [id])).toEqual(
      [{ ver_code: 2000, source: 2, task_id: taskId }],
    )
    const { body } = await oms.poll(root)
    expect(body._links).toEqual({
      configData: { href: `${oms.origin}${root}/configData` },
      installedBase: { href: `${oms.origin}${root}/installedBase/${taskId}` },
    })
    expect((await oms.send(`${root}/installedBase/${taskId}`)).json().deployment.chunks).toHaveLength(1)
    expect((await oms.send(href!)).status).toBe(200)
    expect((await oms.post(`${root}/deploymentBase/${taskId}/feedback`, proceeding('late'))).status).toBe(410)
    expect(await oms.query('select ver_code from devices where id = $1', [id])).toEqual([{ ver_code: 2000 }])
    expect(otaId).toBeGreaterThan(0)
  })

  test('downloads support ranges, If-Range, If-Match, HEAD, 416 and md5, and need an open task of the device', async () => {
    const { root } = await oms.device()
    const other = await oms.device()
    const { componentId, bytes, fileName } = await oms.version()
    const link = `${root}/softwaremodules/${componentId}/artifacts/${fileName}`
    expect((await oms.send(link)).status).toBe(404)
    const { taskId } = await oms.poll(root)
    const sha1 = `"${createHash('sha1').update(bytes).digest('hex')}"`
    const part = await oms.send(link, { headers: { range: 'bytes=40000-', 'if-range': sha1 } })
    expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 40000-99999/100000`])
    expect(part.body.equals(bytes.subarray(40_000))).toBe(true)
    expect((await oms.send(link, { headers: { range: 'bytes=5-9', 'if-range': '"other"' } })).status).toBe(200)
    expect((await oms.send(link, { headers: { range: 'bytes=100000-' } })).status).toBe(416)
    expect((await oms.send(link, { headers: { 'if-match': '"other"' } })).status).toBe(412)
    expect((await oms.send(link, { headers: { 'if-match': sha1 } })).status).toBe(200)
    const head = await oms.send(link, { method: 'HEAD' })
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, '100000', 0])
    const md5 = createHash('md5').update(bytes).digest('hex')
    expect((await oms.send(`${link}.MD5SUM`)).body.toString()).toBe(`${md5}  ${fileName}\n`)
    expect((await oms.send(`${root}/softwaremodules/${componentId}/artifacts/other.swu`)).status).toBe(404)
    expect((await oms.send(`${root}/softwaremodules/${componentId}/artifacts/..%2f..%2fsecret`)).status).toBe(404)
    // Another device gets neither the module nor the action, although that device matches too.
    expect((await oms.send(`${other.root}/softwaremodules/${componentId}/artifacts/${fileName}`)).status).toBe(404)
    expect((await oms.send(`${other.root}/deploymentBase/${taskId}`)).status).toBe(404)
    expect((await oms.post(`${other.root}/deploymentBase/${taskId}/feedback`, CLOSED)).status).toBe(404)
    expect((await oms.send(link, { token: 'wrong' })).status).toBe(401)
  })

  test('open tasks continue without a 500 when their version is disabled during the download', async () => {
    const { root } = await oms.device()
    const { componentId, fileName, otaId, bytes } = await oms.version()
    const { taskId, href } = await oms.poll(root)
    await oms.send(href!)
    await oms.query('update ota_versions set status = 2 where ota_id = $1', [otaId])
    await oms.sync()
    const link = `${root}/softwaremodules/${componentId}/artifacts/${fileName}`
    const rest = await oms.send(link, { headers: { range: 'bytes=1-' } })
    expect([rest.status, rest.body.equals(bytes.subarray(1))]).toEqual([206, true])
    await oms.query('update ota_tasks set state = 50 where task_id = $1', [taskId])
    await oms.sync()
    expect((await oms.send(href!)).status).toBe(404)
    expect((await oms.poll(root)).body._links.cancelAction.href).toBe(`${oms.origin}${root}/cancelAction/${taskId}`)
  })

  test('a failed update keeps its reason, also from invalid JSON, and is offered again only after a retry', async () => {
    const { root, id } = await oms.device()
    const { otaId } = await oms.version()
    const { taskId } = await oms.poll(root)
    const broken = `{"id":"${taskId}","status":{"execution":"closed","result":{"finished":"failure"},"details":["Image invalid: bad hash\n","done"]}}`
    expect((await oms.post(`${root}/deploymentBase/${taskId}/feedback`, broken)).status).toBe(200)
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 110, reason: 'Image invalid: bad hash' })
    expect((await oms.poll(root)).href).toBeUndefined()
    await oms.query('update ota_tasks set retried = true where task_id = $1', [taskId])
    await oms.sync()
    const again = await oms.poll(root)
    expect(again.taskId).toBeGreaterThan(taskId)
    expect(await oms.taskRow(again.taskId)).toMatchObject({ attempt: 2 })
    // Nested quotes and a cut end: the decisive fields are still present.
    const worse = `{"status":{"execution":"closed","result":{"finished":"failure"},"details":["no such "handler" found","x`
    expect((await oms.post(`${root}/deploymentBase/${again.taskId}/feedback`, worse)).status).toBe(200)
    expect(await oms.taskRow(again.taskId)).toMatchObject({ state: 110, reason: expect.stringContaining('handler') })
    await oms.query('update ota_policies set auto_retries = 1 where ota_id = $1', [otaId])
    await oms.sync()
    const third = await oms.poll(root)
    expect(third.taskId).toBeGreaterThan(again.taskId)
    await oms.post(`${root}/deploymentBase/${third.taskId}/feedback`, failure('x'))
    expect((await oms.poll(root)).href).toBeUndefined()
    expect((await oms.query('select count(*)::int as n from ota_tasks where device_id = $1', [id]))[0].n).toBe(3)
  })

  test('reports without a known state change no task state, and the length of logs and texts is limited', async () => {
    const { root } = await oms.device()
    await oms.version()
    const { taskId } = await oms.poll(root)
    const path = `${root}/deploymentBase/${taskId}/feedback`
    expect((await oms.post(path, '')).status).toBe(400)
    for (const bad of ['[]', 'null', '{}', '{"status":{}}', '{"status":{"execution":"dancing"}}', '"x"'])
      expect((await oms.post(path, bad)).status).toBe(200)
    expect(await oms.taskRow(taskId)).toMatchObject({ state: 0, reason: expect.stringContaining('无法完整读取') })
    const odd = {
      id: 5,
      time: 'x',
      extra: {},
      status: {
        execution: 'proceeding',
        result: { finished: 'none', progress: { cnt: 'a', of: 0 } },
        code: 'x',
        details: 'one text\u0000',
      },
    }
    expect((await oms.post(path, odd)).status).toBe(200)
    expect(
      (await oms.post(path, proceeding(...Array.from({ length: 80 }, (_, i) => `${i}`.padEnd(900, '.'))))).status,
    ).toBe(200)
    const logs = await oms.query('select details from ota_task_logs where task_id = $1 order by id desc limit 1', [
      taskId,
    ])
    expect([logs[0].details.length, logs[0].details[0].length]).toEqual([50, 500])
    await oms.query(`insert into ota_task_logs (task_id, state) select $1, 10 from generate_series(1, 1100)`, [taskId])
    const count = async () =>
      (await oms.query('select count(*)::int as n from ota_task_logs where task_id = $1', [taskId]))[0].n
    const before = await count()
    expect((await oms.post(path, proceeding('more'))).status).toBe(200)
    expect(await count()).toBe(before)
  })

  test('a late report never sets a task to an earlier state; success after a requested cancellation counts as success', async () => {
    const { root } = await oms.device()
    await oms.version()
    const { taskId } = await oms.poll(root)
    const path = `${root}/deploymentBase/${taskId}/feedback`
    await oms.post(path, { status: { execution: 'downloaded', result: { finished: 'none' } } })
    await oms.post(path, { status: { execution: 'download', result: { finished: 'none' } } })
    expect((await oms.taskRow(taskId)).state).toBe(30)
    await oms.query('update ota_tasks set state = 50 where task_id = $1', [taskId])
    await oms.post(path, proceeding('still there'))
    expect((await oms.taskRow(taskId)).state).toBe(50)
    await oms.post(path, CLOSED)
    expect((await oms.taskRow(taskId)).state).toBe(100)
  })
})

async function until(check: () => Promise<boolean>) {
  while (!(await check())) await new Promise((done) => setTimeout(done, 5))
}
