import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Client, assertSwupdateInstalled, startSwupdate, withoutSwupdate } from '#test/clients/swupdate-client.ts'
import { makeImage, makeSigner, type Signer } from '#test/clients/swupdate-image.ts'
import { deviceLab, TOKEN } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()
let folder = ''
let vendor: Signer
let stranger: Signer
const running: Client[] = []
/** Milliseconds that a download above the limit waits before it is aborted. */
const HOLD_MS = 15_000
/** Number of downloads of other devices, which reach the limit of downloads. */
const OTHERS = 400
/** Milliseconds to wait for the client, which on a busy machine can pause for a minute between two attempts. */
const PATIENCE_MS = 150_000
const proxies: Server[] = []

beforeAll(async () => {
  if (withoutSwupdate === undefined) assertSwupdateInstalled()
  folder = mkdtempSync(join(tmpdir(), 'oms-swupdate-'))
  chmodSync(folder, 0o755)
  vendor = makeSigner(folder, 'vendor')
  stranger = makeSigner(folder, 'stranger')
  // Poll interval of one second, so that the client finishes within seconds.
  await oms.query('insert into device_access (tenant_id, poll_seconds) values (1, 1)')
  await oms.sync()
})
afterEach(async () => {
  for (const client of running.splice(0)) await client.stop()
  for (const proxy of proxies.splice(0)) {
    proxy.closeAllConnections()
    await new Promise((done) => proxy.close(done))
  }
  // Ends the downloads of a failed test, which would take the places of the next test.
  oms.side.holdMs = HOLD_MS
  const { downloads } = oms.side
  for (let n = 1; n <= OTHERS; n++) if (downloads.isOpen(-n)) downloads.end(-n, 0, false)
  oms.services.fleet.slots.calls.fill(0)
  await oms.query('update ota_versions set status = 2')
  await oms.sync()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const start = (sn: string, url: string, more?: readonly string[]) => {
  const client = startSwupdate(folder, { sn, url, token: TOKEN, certificate: vendor.certificate }, more)
  running.push(client)
  return client
}

/** Waits for a task of this device in this state. The client's output is the message on timeout. */
async function reaches(deviceId: number, state: number, client: Client) {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; ) {
    const [task] = await oms.query('select * from ota_tasks where device_id = $1 order by task_id desc limit 1', [
      deviceId,
    ])
    if (task?.state === state) return task
    await new Promise((done) => setTimeout(done, 50))
  }
  const tasks = await oms.query('select task_id, state, reason from ota_tasks where device_id = $1', [deviceId])
  throw new Error(`not in state ${state}: ${JSON.stringify(tasks)}\n${client.lines.slice(-60).join('\n')}`)
}

async function released(signer: Signer, name: string, size = 200_000) {
  const payload = randomBytes(size)
  const target = join(folder, `${name}.installed`)
  const content = makeImage(folder, { signer, version: name, payload, target })
  return { payload, target, ...(await oms.version({ content, fileName: `${name}.swu` })) }
}

const listen = async (proxy: Server) => {
  proxies.push(proxy)
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

/** Runs `before`, forwards the request and records each response with its path. */
async function watchingProxy(before: (call: string) => Promise<void>) {
  const answers: { path: string; method: string; status: number; retryAfter: string | undefined }[] = []
  const proxy = createServer((request, response) => {
    const { url: path = '', method = '', headers } = request
    const pass = () => {
      const onward = httpRequest(`${oms.origin}${path}`, { method, headers }, (reply) => {
        answers.push({ path, method, status: reply.statusCode ?? 0, retryAfter: reply.headers['retry-after'] })
        if (response.destroyed) return void reply.destroy()
        response.writeHead(reply.statusCode ?? 502, reply.headers).flushHeaders()
        // An aborted response is aborted here too.
        pipeline(reply, response, () => {})
      })
      onward.on('error', () => response.destroy())
      request.pipe(onward)
    }
    void before(`${method} ${path}`).then(pass)
  })
  return { url: await listen(proxy), answers }
}

/** Forwards everything and aborts the first download after this many bytes. */
async function cuttingProxy(after: number) {
  const ranges: (string | undefined)[] = []
  const proxy = createServer((request, response) => {
    const isFile = request.method === 'GET' && request.url?.includes('/softwaremodules/') === true
    if (isFile) ranges.push(request.headers.range)
    const cuts = isFile && ranges.length === 1
    const onward = httpRequest(
      `${oms.origin}${request.url}`,
      { method: request.method, headers: request.headers },
      (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers)
        let passed = 0
        reply.on('data', (chunk: Buffer) => {
          passed += chunk.length
          response.write(chunk)
          if (cuts && passed >= after) {
            reply.destroy()
            response.socket?.destroySoon()
          }
        })
        reply.on('end', () => response.end())
      },
    )
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  return { url: await listen(proxy), ranges }
}

const told = async (taskId: number) =>
  (await oms.query('select details from ota_task_logs where task_id = $1 order by id', [taskId])).flatMap(
    ({ details }) => details,
  )

describe.skipIf(withoutSwupdate !== undefined)('SWUpdate of Debian', { timeout: 2 * PATIENCE_MS }, () => {
  test('OTA-13 SWUpdate downloads a signed image, installs it and confirms it after its restart', async () => {
    const { id, sn } = await oms.device()
    const { payload, target } = await released(vendor, 'success')
    const first = start(sn, oms.origin)
    const task = await reaches(id, 40, first)
    await heard(async () => existsSync(target) && readFileSync(target).equals(payload))
    await heard(async () => (await told(task.task_id)).some((line: string) => line.includes('All Chunks Installed')))
    await first.stop()
    // The device boots the new system; SWUpdate starts with the success flag.
    const second = start(sn, oms.origin, ['-c', '2'])
    expect(await reaches(id, 100, second)).toMatchObject({ progress: 100, reason: '' })
    expect(await oms.query('select ver_code from devices where id = $1', [id])).toEqual([{ ver_code: task.ver_code }])
    await heard(
      async () => (await oms.query('select data from device_attributes where device_id = $1', [id])).length === 1,
    )
    expect(await oms.query('select count(*)::int as n from ota_tasks where device_id = $1', [id])).toEqual([{ n: 1 }])
  })

  test('SWUpdate refuses an image with a foreign signature, and the server stores the reason', async () => {
    const { id, sn } = await oms.device()
    const { target } = await released(stranger, 'stranger')
    const client = start(sn, oms.origin)
    const task = await reaches(id, 110, client)
    const cause = 'Authentication of all signatures failed'
    await heard(async () => client.lines.some((line) => line.includes(cause)))
    // SWUpdate waits 100 ms for each line of the installer's log. On a slow machine later lines are lost on the
    // device, so only received lines are compared.
    const came = (await told(task.task_id)).filter((line: string) => line !== '')
    expect(came).not.toEqual([])
    if (came.some((line: string) => line.includes(cause))) expect(task.reason).toBe(cause)
    else expect(came.join('\n')).toContain(task.reason)
    expect(existsSync(target)).toBe(false)
    // The version is not offered again: the device keeps its version.
    await heard(async () => client.lines.filter((line) => line.includes('No pending action')).length > 0)
    expect(await oms.query('select count(*)::int as n from ota_tasks where device_id = $1', [id])).toEqual([{ n: 1 }])
  })

  test('SWUpdate resumes an aborted download at its last byte', async () => {
    const { id, sn } = await oms.device()
    const { payload, target } = await released(vendor, 'resumed', 4_000_000)
    const proxy = await cuttingProxy(1_000_000)
    const client = start(sn, proxy.url)
    await reaches(id, 40, client)
    await heard(async () => existsSync(target) && readFileSync(target).equals(payload))
    expect(proxy.ranges[0]).toBeUndefined()
    expect(proxy.ranges[1]).toMatch(/^bytes=[1-9]\d*-$/)
  })

  test('SWUpdate receives a cancellation in its next poll and confirms it', async () => {
    const { id, sn } = await oms.device()
    await released(vendor, 'cancelled')
    const { taskId } = await oms.poll(`/default/controller/v1/${sn}`)
    await oms.query('update ota_tasks set state = 50 where task_id = $1', [taskId])
    await oms.sync()
    const client = start(sn, oms.origin)
    expect(await reaches(id, 120, client)).toMatchObject({ task_id: taskId })
  })

  test('SWUpdate polls again and installs later when the limit of downloads is reached', async () => {
    const { id, sn } = await oms.device()
    const other = await oms.device()
    const { payload, target, otaId } = await released(vendor, 'full')
    await oms.query('update ota_policies set max_downloads = 1 where ota_id = $1', [otaId])
    await oms.sync()
    // Between the poll and the deployment another process gives the last place to another device, which then
    // finishes.
    let turns = 0
    const proxy = await watchingProxy(async (call) => {
      turns += call.includes('/deploymentBase/') || turns > 0 ? 1 : 0
      if (turns === 1)
        await oms.query(
          `insert into ota_tasks (ota_id, device_id, tenant_id, model_id, ver_code, state) values ($1, $2, 1, 1, 9999, 10)`,
          [otaId, other.id],
        )
      if (turns === 2) {
        await oms.query('update ota_tasks set state = 100, close_time = now() where device_id = $1', [other.id])
        await oms.sync()
      }
    })
    const client = start(sn, proxy.url)
    await reaches(id, 40, client)
    await heard(async () => existsSync(target) && readFileSync(target).equals(payload))
    const [refused] = proxy.answers.filter(({ path }) => path.includes('/deploymentBase/'))
    expect(refused).toMatchObject({ method: 'GET', status: 429, retryAfter: expect.any(String) })
    expect(await oms.query('select count(*)::int as n from ota_tasks where device_id = $1', [id])).toEqual([{ n: 1 }])
  })

  test('SWUpdate tries again when its waiting download is aborted before the first byte', async () => {
    const { id, sn } = await oms.device()
    const { payload, target, componentId } = await released(vendor, 'busy', 2_000_000)
    const { calls } = oms.services.fleet.slots
    oms.side.holdMs = 500
    let asked = 0
    // First the device sends too many requests, then too many others download; the third attempt succeeds.
    const proxy = await watchingProxy(async (call) => {
      if (!call.startsWith('GET') || !call.includes(`/softwaremodules/${componentId}/artifacts/`)) return
      asked += 1
      calls[oms.services.fleet.slots.slotOf(id)] = asked === 1 ? 240 : 0
      for (let n = 1; n <= OTHERS; n++)
        if (asked === 2) oms.side.downloads.begin(-n, 0)
        else if (asked === 3) oms.side.downloads.end(-n, 0, false)
    })
    const client = start(sn, proxy.url)
    await reaches(id, 40, client)
    await heard(async () => existsSync(target) && readFileSync(target).equals(payload))
    const answered = proxy.answers.filter(({ method, path }) => method === 'GET' && path.includes('/artifacts/'))
    expect([asked, answered.map(({ status }) => status)]).toEqual([3, [200, 200, 200]])
  })

  test('SWUpdate installs a task that it fetched before the daily window closed after the next window opens', async () => {
    const { id, sn, root } = await oms.device()
    const { payload, target, otaId } = await released(vendor, 'window')
    await oms.send((await oms.poll(root)).href!)
    const { minute } = oms.services.fleet.moment(Date.now())
    const setWindow = async (from: number, to: number) => {
      const at = (offset: number) => (minute + offset + 1440) % 1440
      await oms.query('update ota_policies set daily_start = $2, daily_end = $3 where ota_id = $1', [
        otaId,
        at(from),
        at(to),
      ])
      await oms.sync()
    }
    await setWindow(120, 180)
    const client = start(sn, oms.origin)
    await heard(async () => client.lines.filter((line) => line.includes('No pending action')).length > 1)
    expect(existsSync(target)).toBe(false)
    await client.stop()
    await setWindow(-60, 60)
    await reaches(id, 40, start(sn, oms.origin))
    await heard(async () => existsSync(target) && readFileSync(target).equals(payload))
  })
})

/** Polls until the check is true. */
async function heard(check: () => Promise<boolean>) {
  for (const until = Date.now() + PATIENCE_MS; !(await check()); ) {
    if (Date.now() > until) throw new Error(`not heard in time: ${check.toString()}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}
