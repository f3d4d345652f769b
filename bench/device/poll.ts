// Measures device polls with a million devices in memory: against a bare HTTP server, against one query per poll,
// after a change, and during large downloads.
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { isMain } from '../lib/main.ts'
import { environmentBeside, type Product, startProduct, untilQuiet } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'
import { changes } from '../lib/poll-changes.ts'
import { downloads } from '../lib/poll-downloads.ts'
import { poll, psql, TOKEN } from '../lib/fleet.ts'
import { temporaryFolder } from '../lib/temporary.ts'

const MODELS = 500
/** Devices that are on ten allowlists each and never poll. */
const LISTED = 100_000
const DEVICES = Number(process.env.BENCH_DEVICES ?? 1_000_000)
const CONNECTIONS = 50
const SECONDS = 4
const ROUNDS = 5

export async function run() {
  const before = await startProduct({ port: 18_341 })
  const { dataDir } = before
  const grewFrom = rssOf(before.pid)
  const empty = await weigh(before)
  fill(before)
  await untilKnown(before, `D${DEVICES}`)
  await untilQuiet(before)
  remark(
    `load of the machine ${loadavg()
      .map((each) => each.toFixed(1))
      .join(' ')}; ${DEVICES} devices; data in ${dataDir}`,
  )
  try {
    await memory(before, { empty, grewFrom })
    await throughput(before)
    await changes(before)
    await downloads(before)
  } finally {
    await before.stop()
  }
}

/**
 * Creates a million devices of 500 models; every second device has completed an update. Each model has twenty enabled
 * versions that only devices on allowlists receive. The allowlists contain a million entries of other devices.
 */
function fill(product: Product) {
  const token = createHash('sha256').update(TOKEN).digest('hex')
  psql(product, `insert into device_types (type_name, type_code) values ('bench', 'bench')`)
  psql(
    product,
    `insert into device_models (type_id, model_name, model_code) select 1, 'b' || g, 'B' || g from generate_series(1, ${MODELS}) g`,
  )
  psql(
    product,
    `insert into devices (tenant_id, model_id, sn, ver_code, token_hash, attributes_wanted, last_online_time, online)
     select 1, 1 + g % ${MODELS}, 'D' || g, 100 + g % 5, '\\x${token}', 0, now(), 1 from generate_series(1, ${DEVICES}) g`,
  )
  psql(
    product,
    `insert into devices (tenant_id, model_id, sn, ver_code, attributes_wanted)
     select 1, 1 + g % ${MODELS}, 'W' || g, 100, 0 from generate_series(1, ${LISTED}) g`,
  )
  psql(
    product,
    `insert into ota_versions (tenant_id, model_id, ver_code, ver_name, old_ver_min, old_ver_max, release_date, status, components)
     select 1, m, 201 + v * 10, 'v' || v, 90, 200, now() - interval '1 day', 1, 1
     from generate_series(1, ${MODELS}) m, generate_series(0, 19) v`,
  )
  psql(
    product,
    `insert into ota_whites (ota_id, device_id) select v.ota_id, d.id from ota_versions v
     join devices d on d.model_id = v.model_id and d.sn like 'W%' where v.ver_code < 301`,
  )
  // Every second device has completed an update, which its response names.
  psql(
    product,
    `insert into ota_tasks (ota_id, device_id, tenant_id, model_id, ver_code, state, close_time)
     select 1, id, 1, model_id, ver_code, 100, now() from devices where sn like 'D%' and id % 2 = 0`,
  )
  psql(product, 'vacuum analyze ota_tasks')
  psql(product, 'analyze ota_versions')
  psql(product, 'vacuum analyze ota_whites')
  psql(product, 'vacuum analyze devices')
}

async function untilKnown({ url }: Product, sn: string) {
  for (;;) {
    const reply = await poll(url, sn).catch(() => undefined)
    await reply?.arrayBuffer()
    if (reply?.status === 200) return
    await new Promise((done) => setTimeout(done, 200))
  }
}

const rssOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

interface Weights {
  readonly empty: number
  readonly grewFrom: number
}

/** Measures the memory of a million devices: a process that loaded them at start, against a process without devices. */
async function memory(product: Product, { empty, grewFrom }: Weights) {
  const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`
  remark(`resident memory of the process that was there while they came grew by ${mib(rssOf(product.pid) - grewFrom)}`)
  const known = await weigh(product, `D${DEVICES}`)
  remark(`of a process for devices alone: ${mib(empty)} with none, ${mib(known)} with all of them`)
  const value = (known - empty) / (DEVICES + LISTED)
  print({ name: 'memory a device', value, unit: 'bytes', bar: 200, better: 'less' })
}

/** Returns the resident memory of a second idle process on the same database with only devices loaded. */
async function weigh(product: Product, sn?: string) {
  const env = { ...environmentBeside(product), OMS_ROLE: 'device' }
  const second = await startProduct({ port: 18_344, database: 'given', env })
  try {
    if (sn) await untilKnown(second, sn)
    await untilQuiet(second)
    return rssOf(second.pid)
  } finally {
    await second.stop()
  }
}

async function throughput(product: Product) {
  const bare = await server(BARE, 18_342)
  const query = await server(ONE_QUERY(product.socket), 18_343)
  const times = {
    hello: [] as number[],
    body: [] as number[],
    idle: [] as number[],
    check: [] as number[],
    query: [] as number[],
  }
  wrk(product.url, 'ddi', 2)
  for (let round = 0; round < ROUNDS; round++) {
    times.hello.push(wrk(bare.url, 'ddi'))
    times.body.push(wrk(bare.url, 'check'))
    times.idle.push(wrk(product.url, 'ddi'))
    times.check.push(wrk(product.url, 'check'))
    times.query.push(wrk(query.url, 'ddi'))
  }
  bare.stop()
  query.stop()
  const hello = median(times.hello)
  const idle = median(times.idle)
  const check = median(times.check)
  const body = median(times.body)
  const one = median(times.query)
  remark(
    `a second: bare ${hello.toFixed(0)}, with a body ${body.toFixed(0)}, idle poll ${idle.toFixed(0)}, check ${check.toFixed(0)}, one query ${one.toFixed(0)} (medians of ${ROUNDS})`,
  )
  print({ name: 'idle poll ÷ bare node:http', value: idle / hello, unit: '×', bar: 0.7, better: 'more' })
  print({
    name: 'plain check ÷ bare node:http that parses the same body',
    value: check / body,
    unit: '×',
    bar: 0.7,
    better: 'more',
  })
  remark(`the bare server itself does ${(hello / one).toFixed(1)} times what one query a poll does`)
  print({ name: 'idle poll ÷ one SQL query a poll', value: idle / one, unit: '×', bar: 15, better: 'more' })
}

/** Bare server: reads the device's request and returns constant bytes. */
const BARE = `const body = Buffer.from('{"config":{"polling":{"sleep":"00:05:00"}}}')
const answer = (r) => { r.writeHead(200, ['content-type', 'application/json', 'content-length', String(body.length)]); r.end(body) }
require('node:http').createServer((q, r) => {
  if (q.method === 'GET') return answer(r)
  const chunks = []
  q.on('data', (chunk) => chunks.push(chunk)).on('end', () => { JSON.parse(Buffer.concat(chunks)); answer(r) })
}).listen(18342, '127.0.0.1', () => process.stdout.write('ready'))`

/** Comparison server without the fleet index: queries the database for the device's update on every poll. */
const ONE_QUERY = (socket: string) => `const app = require('fastify')()
const pool = new (require('pg').Pool)({ host: '${socket}', user: 'oms', database: 'oms', max: 10 })
const text = \`select v.ota_id from devices d
  join ota_versions v on v.model_id = d.model_id and v.kind = 1 and v.deleted_at is null and v.status = 1
    and d.ver_code between v.old_ver_min and v.old_ver_max
  left join ota_policies p on p.ota_id = v.ota_id
  where d.sn = $1 and d.deleted_at is null and (p.mode = 2 and mod(d.id, 10000) < p.percent
    or exists (select 1 from ota_whites w where w.ota_id = v.ota_id and w.device_id = d.id))
  order by v.ver_code desc limit 1\`
app.get('/default/controller/v1/:sn', async (request) => {
  const { rows } = await pool.query({ name: 'poll', text, values: [request.params.sn] })
  return { config: { polling: { sleep: '00:05:00' } }, found: rows.length }
})
app.listen({ port: 18343, host: '127.0.0.1' }).then(() => process.stdout.write('ready'))`

async function server(source: string, port: number) {
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
  process.once('exit', () => child.kill())
  await new Promise((done) => child.stdout.once('data', done))
  return { url: `http://127.0.0.1:${port}`, stop: () => child.kill() }
}

const LUA = {
  ddi: (devices: number) => `request = function()
  return wrk.format('GET', '/default/controller/v1/D' .. math.random(1, ${devices}), { ['Authorization'] = 'TargetToken ${TOKEN}', ['Accept'] = 'application/json' })
end`,
  check: (devices: number) => `request = function()
  local n = math.random(1, ${devices})
  local body = '{"sn":"D' .. n .. '","model":"B' .. (1 + n % ${MODELS}) .. '","verCode":' .. (100 + n % 5) .. '}'
  return wrk.format('POST', '/device/v1/check', { ['Authorization'] = 'Bearer ${TOKEN}', ['Content-Type'] = 'application/json' }, body)
end`,
}

function wrk(url: string, kind: keyof typeof LUA, seconds = SECONDS) {
  const script = join(temporaryFolder('oms-wrk-'), 'poll.lua')
  writeFileSync(script, LUA[kind](DEVICES))
  const text = execFileSync(
    'wrk',
    ['-t', '1', '-c', String(CONNECTIONS), '-d', `${seconds}s`, '-s', script, '--latency', url],
    {
      encoding: 'utf8',
    },
  )
  if (/Non-2xx/.test(text)) throw new Error(text)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1])
}

if (isMain(import.meta)) await run()
