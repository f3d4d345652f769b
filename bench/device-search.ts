// A part of a serial among a million devices (BENCH_ROWS for more), and an import of 200,000 with its memory.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isMain } from './lib/main.ts'
import { type Product, startProduct } from './lib/product.ts'
import { median, print, remark } from './lib/report.ts'

const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000)
const IMPORT_ROWS = 200_000
const MODELS = 20
const QUESTIONS = 300
const INFO = '/api/v1/device/info'

export async function run() {
  const product = await startProduct({ port: 18_307 })
  try {
    prepare(product)
    await search(product)
    await takeTable(product)
  } finally {
    await product.stop()
  }
}

function psql({ socket }: Product, sql: string) {
  const env = { ...process.env, PGOPTIONS: '-c statement_timeout=0' }
  const args = ['-qAth', socket, '-U', 'oms', '-d', 'oms', '-v', 'ON_ERROR_STOP=1', '-c', sql]
  return execFileSync('psql', args, { encoding: 'utf8', env, maxBuffer: 64 * 1024 * 1024 })
}

/** Serials as they are printed on labels: model, week, and a number in hexadecimal. */
function prepare(product: Product) {
  const started = performance.now()
  psql(product, `insert into device_types (type_name, type_code) values ('bench', 'bench')`)
  psql(
    product,
    `insert into device_models (type_id, model_name, model_code)
     select 1, 'bench ' || g, 'B' || lpad(g::text, 2, '0') from generate_series(1, ${MODELS}) g`,
  )
  // These indexes are made three times as fast as they grow.
  psql(product, 'drop index devices_sn_trgm, devices_name_trgm, devices_sn_quads')
  const MILLION = 1_000_000
  for (let from = 1; from <= ROWS; from += MILLION)
    psql(
      product,
      `insert into devices (tenant_id, model_id, sn, dev_name, ver_code)
       select 1, 1 + g % ${MODELS}, 'B' || lpad((1 + g % ${MODELS})::text, 2, '0') || '26' || upper(substr(md5(g::text), 1, 10)),
         'bench', 100 + g % 7 from generate_series(${from}, ${Math.min(ROWS, from + MILLION - 1)}) g on conflict do nothing`,
    )
  psql(product, 'create index devices_sn_trgm on devices using gin (sn gin_trgm_ops)')
  psql(product, 'create index devices_sn_quads on devices using gin (oms_quads(sn))')
  psql(product, 'create index devices_name_trgm on devices using gin (dev_name gin_trgm_ops)')
  psql(product, 'vacuum analyze devices')
  remark(`${ROWS.toLocaleString('en')} devices in ${((performance.now() - started) / 1000).toFixed(0)} s`)
}

async function search(product: Product) {
  const every = Math.max(1, Math.floor(ROWS / QUESTIONS))
  const sns = psql(product, `select sn from devices where id % ${every} = 1 limit ${QUESTIONS}`).trim().split('\n')
  const ticket = await product.login()
  for (const length of [4, 5, 6, 8]) {
    const times: number[] = []
    let found = 0
    for (const [at, sn] of sns.entries()) {
      const part = sn.slice(5 + (at % 3), 5 + (at % 3) + length)
      const started = performance.now()
      found += await ask(product, ticket, part)
      times.push(performance.now() - started)
    }
    const name = `serials by a part of ${length} among ${ROWS.toLocaleString('en')}, median of ${times.length} alone`
    remark(`${length} characters: ${(found / times.length).toFixed(1)} found on average`)
    print({ name, value: median(times), unit: 'ms', bar: 5, better: 'less' })
  }
}

async function ask({ url }: Product, ticket: string, sn: string) {
  const reply = await fetch(`${url}${INFO}/page?pageNum=1&pageSize=20&sn=${sn}`, { headers: { ticket } })
  const { code, msg, data } = (await reply.json()) as { code: number; msg: string; data: { total: number } }
  if (code !== 200 || data.total === 0) throw new Error(`${sn}: ${code} ${msg}`)
  return data.total
}

/** Kilobytes the server holds right now. */
const memoryOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

async function takeTable(product: Product) {
  const ticket = await product.login()
  const lines = Array.from(
    { length: IMPORT_ROWS },
    (_, at) => `IMP${String(at).padStart(8, '0')},导入设备,B01,,,,${100 + (at % 5)},V1,批量,,2030-01-31,`,
  )
  const head = '序列号,设备名称,型号编码,客户编号,MAC,IMEI,固件版本号,硬件版本,标签,分组,质保到期,备注'
  const form = new FormData()
  form.set('file', new Blob([[head, ...lines].join('\n')]), 'devices.csv')
  const before = memoryOf(product.pid)
  const started = performance.now()
  const reply = await fetch(`${product.url}${INFO}/import`, { method: 'POST', headers: { ticket }, body: form })
  const { data } = (await reply.json()) as { data: { jobId: number } }
  let peak = before
  for (;;) {
    const answer = await fetch(`${product.url}/api/v1/account/job/${data.jobId}`, { headers: { ticket } })
    const { data: job } = (await answer.json()) as {
      data: { state: string; report: { created: number } | null; error: string }
    }
    peak = Math.max(peak, memoryOf(product.pid))
    if (job.state === 'done') {
      if (job.report?.created !== IMPORT_ROWS) throw new Error(`created ${job.report?.created}`)
      break
    }
    if (job.state === 'failed') throw new Error(job.error)
    await new Promise((done) => setTimeout(done, 100))
  }
  const seconds = (performance.now() - started) / 1000
  print({ name: 'import of 200,000 devices', value: seconds, unit: 's', bar: 60, better: 'less' })
  print({ name: 'memory it takes beside', value: (peak - before) / 1024, unit: 'MB', bar: 300, better: 'less' })
}

if (isMain(import.meta)) await run()
