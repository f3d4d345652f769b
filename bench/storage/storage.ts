// Measures the device calls of cloud storage: permits against a bare HTTP server and against one query a call, their
// database transactions, the memory of the storage index, and the writer of segments against plain inserts.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { startProgram } from '../lib/baseline-server.ts'
import { psql, TOKEN } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { environmentBeside, type Product, startProduct, ticksOf, untilQuiet } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'
import { fillCameras, fillEntitlements, untilState } from '../lib/storage-cameras.ts'
import { opening } from '../lib/storage-opening.ts'
import { segments } from '../lib/storage-segments.ts'
import { temporaryFolder } from '../lib/temporary.ts'

const DEVICES = Number(process.env.BENCH_ROWS ?? 1_000_000)
/** Serial number of the camera that the storage index loads last. */
const LAST = `D${DEVICES}`
const CONNECTIONS = 50
const SECONDS = 4
const ROUNDS = 5
/** Presence and status of devices are written this long after a call. */
const STATUS_FLUSH_MS = 12_000
const COUNTED_SECONDS = 20
const SECOND_PORT = 18_354
const MOST_SEGMENTS = 20

export async function run() {
  const product = await startProduct({ port: 18_351 })
  try {
    fillCameras(product, DEVICES)
    await untilQuiet(product)
    const without = await weigh(product, 'none')
    fillEntitlements(product, { to: DEVICES })
    await untilState(product.url, LAST, 'recording')
    await untilQuiet(product)
    remark(`load of the machine ${loadavg()[0]!.toFixed(1)}; ${DEVICES} entitled devices`)
    const value = ((await weigh(product, 'recording')) - without) / DEVICES
    print({ name: 'memory of the storage index a device', value, unit: 'bytes', bar: 40, better: 'less' })
    await countTransactions(product)
    await throughput(product)
    await presigned(product)
    await beside(product, (second) => opening(product, second))
    await segments(product)
  } finally {
    await product.stop()
  }
}

const rssOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

/** Runs `work` with a second process that serves only devices. */
async function beside<T>(product: Product, work: (second: Product) => Promise<T>, more: Record<string, string> = {}) {
  const env = { ...environmentBeside(product), OMS_ROLE: 'device', ...more }
  const second = await startProduct({ port: SECOND_PORT, database: 'given', env })
  try {
    return await work(second)
  } finally {
    await second.stop()
  }
}

/** Returns the resident memory of a second process that has loaded all data. */
const weigh = (product: Product, state: string) =>
  beside(product, async (second) => {
    await untilState(second.url, LAST, state)
    await untilQuiet(second)
    return rssOf(second.pid)
  })

/**
 * Counts transactions before any other program uses the database: their statistics arrive late. Subtracts the
 * transactions of an idle server in the same time: scheduled jobs, heartbeats and index syncs.
 */
async function countTransactions(product: Product) {
  wrk(product.url, { seconds: 2 })
  await new Promise((done) => setTimeout(done, STATUS_FLUSH_MS))
  await untilQuiet(product)
  const idleFrom = transactions(product)
  await new Promise((done) => setTimeout(done, COUNTED_SECONDS * 1000))
  const from = transactions(product)
  const calls = wrk(product.url, { seconds: COUNTED_SECONDS }) * COUNTED_SECONDS
  const idle = from - idleFrom
  const loaded = transactions(product) - from
  remark(`transactions in ${COUNTED_SECONDS} s: ${idle} idle, ${loaded} during ${calls.toFixed(0)} permits`)
  // Presence and status write in batches every ten seconds.
  const value = (Math.max(0, loaded - idle) / calls) * 1000
  print({ name: 'database transactions for 1,000 permits', value, unit: '', bar: 1, better: 'less' })
}

async function throughput(product: Product) {
  const bare = await startProgram(18_352, BARE(ANSWER))
  const query = await startProgram(18_353, ONE_QUERY(product.socket))
  const times = { bare: [] as number[], permit: [] as number[], query: [] as number[] }
  const cpu = { bare: [] as number[], permit: [] as number[] }
  wrk(product.url, { seconds: 2 })
  for (let round = 0; round < ROUNDS; round++) {
    measure(bare, times.bare, cpu.bare)
    measure(product, times.permit, cpu.permit)
    times.query.push(wrk(query.url))
  }
  bare.stop()
  query.stop()
  const [bareRate, permit, queryRate] = [median(times.bare), median(times.permit), median(times.query)]
  remark(`a second: bare ${bareRate.toFixed(0)}, permit ${permit.toFixed(0)}, one query ${queryRate.toFixed(0)}`)
  const [bareCpu, permitCpu] = [median(cpu.bare), median(cpu.permit)]
  // Processor time does not depend on other programs of the machine.
  remark(`processor time of a call: bare ${bareCpu.toFixed(0)} µs, permit ${permitCpu.toFixed(0)} µs`)
  print({
    name: 'permit ÷ bare node:http with equal bodies',
    value: permit / bareRate,
    unit: '×',
    bar: 0.5,
    better: 'more',
  })
  print({ name: 'permit ÷ one query a call', value: permit / queryRate, unit: '×', bar: 3, better: 'more' })
}

/** Adds the calls a second and the microseconds of processor time of one call. */
function measure({ url, pid }: { readonly url: string; readonly pid: number }, rates: number[], cpu: number[]) {
  const before = ticksOf(pid)
  const rate = wrk(url)
  rates.push(rate)
  cpu.push(((ticksOf(pid) - before) * 10_000) / (rate * SECONDS))
}

const S3 = {
  OMS_MEDIA_S3_ENDPOINT: 'http://127.0.0.1:9',
  OMS_MEDIA_S3_REGION: 'r',
  OMS_MEDIA_S3_BUCKET: 'videos',
  OMS_MEDIA_S3_ACCESS_KEY: 'key',
  OMS_MEDIA_S3_SECRET_KEY: 'secret',
}

/** Measures permits of 20 segments with presigned addresses of a bucket. Signing needs no connection to the bucket. */
const presigned = (product: Product) =>
  beside(
    product,
    async (second) => {
      await untilState(second.url, LAST, 'recording')
      await untilQuiet(second)
      const bare = await startProgram(18_352, BARE(await permitText(second.url)))
      const times = { bare: [] as number[], permit: [] as number[] }
      wrk(second.url, { seconds: 2, segments: MOST_SEGMENTS })
      for (let round = 0; round < ROUNDS; round++) {
        times.bare.push(wrk(bare.url, { segments: MOST_SEGMENTS }))
        times.permit.push(wrk(second.url, { segments: MOST_SEGMENTS }))
      }
      bare.stop()
      const [bareRate, permit] = [median(times.bare), median(times.permit)]
      remark(`a second: bare ${bareRate.toFixed(0)}, permit of ${MOST_SEGMENTS} presigned ${permit.toFixed(0)}`)
      const name = `permit of ${MOST_SEGMENTS} presigned addresses ÷ bare node:http with equal bodies`
      print({ name, value: permit / bareRate, unit: '×', bar: 0.15, better: 'more' })
    },
    S3,
  )

/** Returns the body of a permit for the most segments. */
async function permitText(url: string) {
  const segment = { start: Date.now(), durationMs: 4000, bytes: 412_096, format: 'ts', session: 77, seq: 12 }
  const segments = Array.from({ length: MOST_SEGMENTS }, () => segment)
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ sn: 'D1', channel: 0, segments })
  const reply = await fetch(`${url}/device/v1/storage/permit`, { method: 'POST', headers, body })
  if (reply.status !== 200) throw new Error(`permit: HTTP ${reply.status}`)
  return reply.text()
}

const transactions = (product: Product) =>
  Number(
    psql(product, `select pg_stat_clear_snapshot(), xact_commit from pg_stat_database where datname = 'oms'`).split(
      '|',
    )[1],
  )

const ANSWER = JSON.stringify({
  upload: [
    {
      ticket: 'A'.repeat(102),
      method: 'PUT',
      url: `http://127.0.0.1:18351/device/v1/storage/segment/${'A'.repeat(102)}`,
      headers: { 'content-type': 'video/mp2t' },
    },
  ],
  nextCheck: 3600,
})

/** Bare server: parses the body and returns a constant response of the same length. */
const BARE = (answer: string) => `const body = Buffer.from('${answer}')
require('node:http').createServer((q, r) => {
  const chunks = []
  q.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
    JSON.parse(Buffer.concat(chunks))
    r.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    r.end(body)
  })
}).listen(18352, '127.0.0.1', () => process.stdout.write('ready'))`

/** Comparison server: asks the database for the entitlement in force on every call. */
const ONE_QUERY = (
  socket: string,
) => `const pool = new (require('pg').Pool)({ host: '${socket}', user: 'oms', database: 'oms', max: 10 })
const text = \`select e.id, e.storage_days, d.app_account_id, d.tenant_id from devices d
  join oss_entitlements e on e.device_id = d.id and e.channel = 0 and e.state = 1 and e.end_time > now()
  where d.sn = $1 and d.deleted_at is null\`
const body = Buffer.from('${ANSWER}')
require('node:http').createServer((q, r) => {
  const chunks = []
  q.on('data', (chunk) => chunks.push(chunk)).on('end', async () => {
    const { sn } = JSON.parse(Buffer.concat(chunks))
    await pool.query({ name: 'permit', text, values: [sn] })
    r.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    r.end(body)
  })
}).listen(18353, '127.0.0.1', () => process.stdout.write('ready'))`

const luaOf = (segments: number) => `request = function()
  local segment = '{"start":' .. os.time() .. '000,"durationMs":4000,"bytes":412096,"format":"ts","session":77,"seq":12}'
  local body = '{"sn":"D' .. math.random(1, ${DEVICES}) .. '","channel":0,"segments":[' .. string.rep(segment .. ',', ${segments - 1}) .. segment .. ']}'
  return wrk.format('POST', '/device/v1/storage/permit', { ['Authorization'] = 'Bearer ${TOKEN}', ['Content-Type'] = 'application/json' }, body)
end`

/** Returns the permits a second. */
function wrk(url: string, { seconds = SECONDS, segments = 1 } = {}) {
  const script = join(temporaryFolder('oms-wrk-'), 'permit.lua')
  writeFileSync(script, luaOf(segments))
  const options = ['-t', '1', '-c', String(CONNECTIONS), '-d', `${seconds}s`, '-s', script, url]
  const text = execFileSync('wrk', options, { encoding: 'utf8' })
  if (/Non-2xx/.test(text)) throw new Error(text)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1])
}

if (isMain(import.meta)) await run()
