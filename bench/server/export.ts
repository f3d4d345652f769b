// Measures exports: time to the first byte, memory of the server, and delay of concurrent calls.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'

/** Slightly below the limit, because the exports themselves are logged too. */
const SMALL = 99_900
/** Minimum and maximum number of rows for an export by a job. */
const SMALL_JOB = 110_000
const LARGE = 1_000_000
const EXPORT = '/api/v1/sys/operlog/export'
const COLUMNS = 'operTime operName tenantName title businessType action operIp operLocation status errorMsg costTime'
  .split(' ')
  .map((key) => `columns=${key}`)
  .join('&')

export async function run() {
  const product = await startProduct({ port: 18_302, env: { OMS_RATE_EXPORT: '100000' } })
  try {
    const ticket = await product.login()
    grow(product, SMALL)
    for (let warm = 0; warm < 2; warm++) await direct(product, ticket)
    await firstByte(product, ticket)
    const small = await measured(product, () => direct(product, ticket))
    print({ name: 'xlsx of 100,000 rows, whole', value: small.seconds, unit: 's', bar: 20, better: 'less' })
    print({ name: 'others during it, p99', value: small.p99, unit: 'ms', bar: 20, better: 'less' })
    grow(product, SMALL_JOB)
    await byJob(product, ticket)
    const job = await measured(product, () => byJob(product, ticket))
    grow(product, LARGE)
    const large = await measured(product, () => byJob(product, ticket))
    remark(`1,000,000 rows as a job: ${large.seconds.toFixed(1)} s, peak ${mb(large.peak)} MB`)
    remark(`110,000 rows as a job: peak ${mb(job.peak)} MB; 100,000 in the answer: ${mb(small.peak)} MB`)
    print({
      name: 'peak memory of a job of 1,000,000 rows above that of 110,000',
      value: (large.peak - job.peak) / 1024,
      unit: 'MB',
      bar: 30,
      better: 'less',
    })
    print({ name: 'others during the job, p99', value: large.p99, unit: 'ms', bar: 20, better: 'less' })
  } finally {
    await product.stop()
  }
}

const mb = (kilobytes: number) => (kilobytes / 1024).toFixed(0)

/** Fills the operation log with rows of the last days and texts of typical length. */
function grow({ socket }: Product, rows: number) {
  const fill = `set statement_timeout = 0;
    insert into oper_logs (oper_time, tenant_id, uid, oper_name, title, business_type, action, request_method, oper_url, oper_ip, cost_time)
    select now() - make_interval(secs => g * 0.4), 1, 1, 'bench', '修改固件版本', 2, '修改固件版本「第' || g || '版」(' || g || ')',
      'PUT', '/api/v1/device/ota', '10.1.2.' || g % 250, g % 90
    from generate_series((select count(*) + 1 from oper_logs), ${rows}) g`
  for (const sql of [fill, 'vacuum analyze oper_logs'])
    execFileSync('psql', ['-qh', socket, '-U', 'oms', '-d', 'oms', '-v', 'ON_ERROR_STOP=1', '-c', sql])
}

const get = ({ url }: Product, ticket: string, path: string, signal?: AbortSignal) =>
  fetch(`${url}${path}`, { headers: { ticket }, ...(signal && { signal }) })

async function firstByte(product: Product, ticket: string) {
  const times: number[] = []
  for (let round = 0; round < 9; round++) {
    const stop = new AbortController()
    const start = performance.now()
    const reply = await get(product, ticket, `${EXPORT}?format=xlsx&${COLUMNS}`, stop.signal)
    await reply.body?.getReader().read()
    times.push(performance.now() - start)
    stop.abort()
    await sleep(200)
  }
  print({ name: 'xlsx of 100,000 rows, first byte', value: median(times), unit: 'ms', bar: 50, better: 'less' })
}

async function direct(product: Product, ticket: string) {
  const reply = await get(product, ticket, `${EXPORT}?format=xlsx&${COLUMNS}`)
  if (reply.headers.get('content-type')?.includes('json')) throw new Error(await reply.text())
  let bytes = 0
  for await (const chunk of reply.body as unknown as AsyncIterable<Uint8Array>) bytes += chunk.length
  return bytes
}

async function byJob(product: Product, ticket: string) {
  const { data } = (await (await get(product, ticket, `${EXPORT}?format=xlsx&${COLUMNS}`)).json()) as {
    data: { jobId: number }
  }
  for (;;) {
    await sleep(300)
    const { data: job } = (await (await get(product, ticket, `/api/v1/account/job/${data.jobId}`)).json()) as {
      data: { state: string; rows: number; error: string }
    }
    if (job.state === 'failed') throw new Error(job.error)
    if (job.state === 'done') return job.rows
  }
}

/** Returns the server's peak memory during the work, and the latency of an empty concurrent call. */
async function measured(product: Product, work: () => Promise<number>) {
  const status = `/proc/${product.pid}/status`
  // Resets the high-water mark of the service's memory.
  writeFileSync(`/proc/${product.pid}/clear_refs`, '5')
  let isOver = false
  const beside = (async () => {
    const times: number[] = []
    while (!isOver) {
      const start = performance.now()
      await (await fetch(`${product.url}/healthz`)).arrayBuffer()
      times.push(performance.now() - start)
      await sleep(5)
    }
    return times.sort((a, b) => a - b)
  })()
  const start = performance.now()
  await work()
  const seconds = (performance.now() - start) / 1000
  isOver = true
  const times = await beside
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1])
  return { seconds, peak, p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN }
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms))

if (isMain(import.meta)) await run()
