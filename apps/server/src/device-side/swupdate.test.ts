import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { deviceLab, TOKEN } from './device-fixture.ts'
import { makeImage, makeSigner, type Signer } from './swupdate-image.ts'

/** Debian's package. In CI, which installs it, its absence is a failure: a skipped proof would prove nothing. */
const SWUPDATE = '/usr/bin/swupdate'
const isHere = existsSync(SWUPDATE)
const isDemanded = Boolean(process.env.CI) || process.env.SWUPDATE === 'required'
const oms = deviceLab()
let folder = ''
let vendor: Signer
let stranger: Signer
const running: ChildProcess[] = []
const proxies: Server[] = []

beforeAll(async () => {
  if (!isHere && isDemanded) throw new Error(`${SWUPDATE} is missing: apt-get install swupdate`)
  folder = mkdtempSync(join(tmpdir(), 'oms-swupdate-'))
  chmodSync(folder, 0o755)
  vendor = makeSigner(folder, 'vendor')
  stranger = makeSigner(folder, 'stranger')
  // A second between two polls, so that the client is through in seconds.
  await oms.query('insert into device_access (tenant_id, poll_seconds) values (1, 1)')
  await oms.sync()
})
afterEach(async () => {
  for (const child of running.splice(0)) await stop(child)
  for (const proxy of proxies.splice(0)) {
    proxy.closeAllConnections()
    await new Promise((done) => proxy.close(done))
  }
  await oms.query('update ota_versions set status = 2')
  await oms.sync()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Client {
  readonly lines: string[]
  readonly child: ChildProcess
}

/** As docs/device-protocols.md tells a firmware engineer, but for the short waits. */
const configOf = (sn: string, url: string) => `
globals : { public-key-file = "${vendor.certificate}"; };
identify : ( { name = "hwVer"; value = "B2"; }, { name = "serial"; value = "${sn}"; } );
suricatta : {
  tenant = "default"; id = "${sn}"; url = "${url}"; targettoken = "${TOKEN}";
  polldelay = 1; retry = 10; retrywait = 1;
};
`

/** A device that runs SWUpdate. It keeps its sockets in a folder of its own, so that several may run at once. */
function start(sn: string, url: string, more: readonly string[] = []): Client {
  const own = mkdtempSync(join(folder, 'client-'))
  const config = join(own, 'swupdate.cfg')
  writeFileSync(config, configOf(sn, url))
  const args = ['-v', '-f', config, '-H', 'board:1.0', '-u', more.join(' ')]
  const env = { ...process.env, TMPDIR: own }
  const child = spawn(SWUPDATE, args, { cwd: own, env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.push(child)
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => lines.push(line))
  return { lines, child }
}

async function stop(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  const kill = setTimeout(() => child.kill('SIGKILL'), 3000)
  await ended
  clearTimeout(kill)
}

/** Waits for a task of this device in that state; the client's words are the message if it never comes. */
async function reaches(deviceId: number, state: number, client: Client) {
  for (const until = Date.now() + 60_000; Date.now() < until; ) {
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

/** Passes everything on, and breaks the first download off after so many bytes. */
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
  proxies.push(proxy)
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, ranges }
}

const told = async (taskId: number) =>
  (await oms.query('select details from ota_task_logs where task_id = $1 order by id', [taskId])).flatMap(
    ({ details }) => details,
  )

describe.skipIf(!isHere && !isDemanded)("Debian's swupdate", { timeout: 120_000 }, () => {
  test('OTA-13 downloads a signed image, installs it, and confirms after its restart', async () => {
    const { id, sn } = await oms.device()
    const { payload, target } = await released(vendor, 'success')
    const first = start(sn, oms.origin)
    const task = await reaches(id, 40, first)
    await heard(async () => existsSync(target) && readFileSync(target).equals(payload))
    await heard(async () => (await told(task.task_id)).some((line: string) => line.includes('All Chunks Installed')))
    await stop(first.child)
    // The device boots the new system; SWUpdate is started with the news that it works.
    const second = start(sn, oms.origin, ['-c', '2'])
    expect(await reaches(id, 100, second)).toMatchObject({ progress: 100, reason: '' })
    expect(await oms.query('select ver_code from devices where id = $1', [id])).toEqual([{ ver_code: task.ver_code }])
    await heard(
      async () => (await oms.query('select data from device_attributes where device_id = $1', [id])).length === 1,
    )
    expect(await oms.query('select count(*)::int as n from ota_tasks where device_id = $1', [id])).toEqual([{ n: 1 }])
  })

  test('an image signed by somebody else is refused on the device, and the reason arrives', async () => {
    const { id, sn } = await oms.device()
    const { target } = await released(stranger, 'stranger')
    const client = start(sn, oms.origin)
    const task = await reaches(id, 110, client)
    expect((await told(task.task_id)).join('\n')).toMatch(/verif|signature/i)
    expect(task.reason).toBe('Authentication of all signatures failed')
    expect(existsSync(target)).toBe(false)
    // Not offered again: the device stays where it is.
    await heard(async () => client.lines.filter((line) => line.includes('No pending action')).length > 0)
    expect(await oms.query('select count(*)::int as n from ota_tasks where device_id = $1', [id])).toEqual([{ n: 1 }])
  })

  test('a download that breaks off is taken up where it stopped', async () => {
    const { id, sn } = await oms.device()
    const { payload, target } = await released(vendor, 'resumed', 4_000_000)
    const proxy = await cuttingProxy(1_000_000)
    const client = start(sn, proxy.url)
    await reaches(id, 40, client)
    await heard(async () => existsSync(target) && readFileSync(target).equals(payload))
    expect(proxy.ranges[0]).toBeUndefined()
    expect(proxy.ranges[1]).toMatch(/^bytes=[1-9]\d*-$/)
  })

  test('a cancellation is seen at the next poll and answered', async () => {
    const { id, sn } = await oms.device()
    await released(vendor, 'cancelled')
    const { taskId } = await oms.poll(`/default/controller/v1/${sn}`)
    await oms.query('update ota_tasks set state = 50 where task_id = $1', [taskId])
    await oms.sync()
    const client = start(sn, oms.origin)
    expect(await reaches(id, 120, client)).toMatchObject({ task_id: taskId })
  })
})

/** Waits for what must come true; the test's own time limit ends it otherwise. */
async function heard(check: () => Promise<boolean>) {
  while (!(await check())) await new Promise((done) => setTimeout(done, 50))
}
