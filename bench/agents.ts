// Measures boots of known voice devices against a bare HTTP server that reads the same body and sends an answer as long.
import { spawn } from 'node:child_process'
import { Agent, request } from 'node:http'
import { psql } from './lib/fleet.ts'
import { isMain } from './lib/main.ts'
import { type Product, startProduct, untilQuiet } from './lib/product.ts'
import { median, print, remark } from './lib/report.ts'

const DEVICES = Number(process.env.BENCH_DEVICES ?? 100_000)
const CONNECTIONS = 50
const SECONDS = 4
const ROUNDS = 3
const BODY = JSON.stringify({ version: 2, application: { version: '2.4.2' }, board: { type: 'bench-board' } })
const BARE = `require('node:http').createServer((q, r) => { let t = ''; q.on('data', (c) => (t += c)); q.on('end', () => {
  JSON.parse(t); const b = JSON.stringify({ text: 'x'.repeat(400) })
  r.writeHead(200, { 'content-type': 'application/json', 'content-length': b.length }).end(b) }) }).listen(18352, '127.0.0.1')`

export async function run() {
  const product = await startProduct({ port: 18_351 })
  const bare = spawn(process.execPath, ['-e', BARE], { stdio: 'ignore' })
  try {
    fill(product)
    await untilQuiet(product)
    await boots(product.url, 1)
    const ours: number[] = []
    const theirs: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      theirs.push(await boots('http://127.0.0.1:18352', SECONDS))
      ours.push(await boots(product.url, SECONDS))
    }
    remark(`a second: bare ${median(theirs).toFixed(0)}, boots ${median(ours).toFixed(0)}; ${DEVICES} bound devices`)
    print({
      name: 'boot of a known device ÷ bare node:http',
      value: median(ours) / median(theirs),
      unit: '×',
      bar: 0.25,
      better: 'more',
    })
    print({ name: 'boots of known devices a second', value: median(ours), unit: '', bar: 2000, better: 'more' })
  } finally {
    bare.kill()
    await product.stop()
  }
}

const macOf = (n: number, separator = '') => n.toString(16).padStart(12, '0').match(/../g)!.join(separator)

function fill(product: Product) {
  psql(product, `insert into device_types (type_name, type_code) values ('bench', 'bench')`)
  psql(
    product,
    `insert into device_models (type_id, model_name, model_code, boards)
     select max(id), 'bench', 'BENCH', '{bench-board}' from device_types`,
  )
  psql(
    product,
    `insert into devices (tenant_id, model_id, sn, mac, ver_code, attributes_wanted)
     select 1, (select max(id) from device_models), lpad(to_hex(g), 12, '0'), lpad(to_hex(g), 12, '0'), 2004002, 0
     from generate_series(1, ${DEVICES}) g`,
  )
  psql(
    product,
    `insert into agent_devices (device_id, tenant_id, agent_id, mac, client_id, board, app_version)
     select id, 1, 1, mac, 'bench', 'bench-board', '2.4.2' from devices where mac <> ''`,
  )
  psql(product, 'analyze')
}

let next = 0

/** Returns the answered boots a second. Each device boots in turn, so that the limit of a MAC is not reached. */
async function boots(url: string, seconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const end = performance.now() + seconds * 1000
  let answered = 0
  const lane = async () => {
    while (performance.now() < end) {
      next = (next % DEVICES) + 1
      if ((await boot(url, agent, macOf(next, ':'))) !== 200) throw new Error('a boot was refused')
      answered += 1
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
  agent.destroy()
  return answered / seconds
}

const boot = (url: string, agent: Agent, mac: string) =>
  new Promise<number>((done, fail) => {
    const headers = { 'device-id': mac, 'client-id': 'bench', 'content-length': BODY.length }
    request(`${url}/xiaozhi/ota/`, { method: 'POST', agent, headers }, (reply) => {
      reply.resume().on('end', () => done(reply.statusCode ?? 0))
    })
      .on('error', fail)
      .end(BODY)
  })

if (isMain(import.meta)) await run()
