// Measures an authenticated list page against pgbench with the same statement, and the cost of table growth.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { psql } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'
import { temporaryFolder } from '../lib/temporary.ts'

const CONNECTIONS = 20
const SECONDS = 5
const ROUNDS = 3
const MODELS = 50
const ROWS_SQL = `select v.ota_id, v.ver_code, v.ver_name, v.status, v.components, v.old_ver_min, v.old_ver_max, v.build_date,
  v.release_date, v.description, v.tenant_id, v.create_time, v.update_time, v.rev, m.model_name
  from ota_versions v join device_models m on m.id = v.model_id
  where v.model_id = :model and v.kind = 1 and v.deleted_at is null order by v.ota_id desc limit 20`

export async function run() {
  const product = await startProduct({ port: 18_301, env: { OMS_DB_POOL: '10' } })
  try {
    await grow(product, 100_000)
    const small = await latency(product, 1)
    await grow(product, 1_000_000)
    await throughput(product)
    if (process.env.BENCH_ROWS === '10000000') {
      await grow(product, 10_000_000)
      const large = await latency(product, 1)
      print({
        name: 'list page 1 at 10,000,000 rows ÷ at 100,000',
        value: large / small,
        unit: '×',
        bar: 2.5,
        better: 'less',
      })
      print({
        name: 'list page 500 (row 10,000) at 10,000,000 rows',
        value: await latency(product, 500),
        unit: 'ms',
        bar: 10,
        better: 'less',
      })
    } else remark('set BENCH_ROWS=10000000 for the figures at ten million rows')
  } finally {
    await product.stop()
  }
}

/** Fills the table up to a number of versions, distributed evenly over the models. */
async function grow(product: Product, rows: number) {
  psql(product, `insert into device_types (type_name, type_code) values ('bench', 'bench') on conflict do nothing`)
  psql(
    product,
    `insert into device_models (type_id, model_name, model_code)
     select 1, 'bench ' || g, 'bench' || g from generate_series(1, ${MODELS}) g on conflict do nothing`,
  )
  psql(
    product,
    `set statement_timeout = 0; insert into ota_versions (tenant_id, model_id, ver_code, ver_name, release_date, description, create_by)
     select 1, 1 + g % ${MODELS}, g, 'release ' || g, now(), 'bench row ' || g, 1
     from generate_series((select coalesce(max(ver_code), 0) + 1 from ota_versions), ${rows}) g`,
  )
  psql(product, 'vacuum analyze ota_versions')
}

async function throughput(product: Product) {
  const ticket = await product.login()
  const ours: number[] = []
  const baseline: number[] = []
  // Warm-up, so that the JIT compilation of the first seconds is not measured.
  wrk(product, ticket)
  for (let round = 0; round < ROUNDS; round++) {
    baseline.push(pgbench(product))
    ours.push(wrk(product, ticket))
  }
  remark(
    `pgbench ${median(baseline).toFixed(0)} tps, product ${median(ours).toFixed(0)} req/s (medians of ${ROUNDS}, ${CONNECTIONS} connections)`,
  )
  const name = 'list of 20 of 1,000,000 with filter and total ÷ pgbench rows'
  print({ name, value: median(ours) / median(baseline), unit: '×', bar: 0.2, better: 'more' })
}

function pgbench({ socket }: Product) {
  const file = join(temporaryFolder('oms-pgbench-'), 'list.sql')
  writeFileSync(file, `\\set model random(1, ${MODELS})\n${ROWS_SQL.replaceAll('\n', ' ')};\n`)
  const args = [
    '-n',
    '-M',
    'prepared',
    '-c',
    '10',
    '-j',
    '2',
    '-T',
    String(SECONDS),
    '-f',
    file,
    '-h',
    socket,
    '-U',
    'oms',
    'oms',
  ]
  const text = execFileSync('pgbench', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return Number(/tps = ([\d.]+)/.exec(text)?.[1])
}

function wrk({ url }: Product, ticket: string) {
  const script = join(temporaryFolder('oms-wrk-'), 'list.lua')
  writeFileSync(
    script,
    `local n = 0\nrequest = function()\n  n = n + 1\n  return wrk.format('GET', '/api/v1/device/ota?pageNum=1&pageSize=20&modelId=' .. (1 + n % ${MODELS}))\nend\n`,
  )
  const args = [
    '-t',
    '1',
    '-c',
    String(CONNECTIONS),
    '-d',
    `${SECONDS}s`,
    '-s',
    script,
    '-H',
    `ticket: ${ticket}`,
    '--latency',
    url,
  ]
  const text = execFileSync('wrk', args, { encoding: 'utf8' })
  if (/Non-2xx/.test(text)) throw new Error(text)
  remark(`wrk p99 ${/99%\s+(\S+)/.exec(text)?.[1]}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1])
}

/** Returns the milliseconds of one page on one connection: the median of 300 after a warm-up. */
async function latency({ url, login }: Product, page: number) {
  const headers = { ticket: await login() }
  const times: number[] = []
  for (let i = 0; i < 400; i++) {
    const started = performance.now()
    const reply = await fetch(`${url}/api/v1/device/ota?pageNum=${page}&pageSize=20&modelId=${1 + (i % MODELS)}`, {
      headers,
    })
    const { code } = (await reply.json()) as { code: number }
    if (code !== 200) throw new Error(`page ${page} answered ${code}`)
    if (i >= 100) times.push(performance.now() - started)
  }
  return median(times)
}

if (isMain(import.meta)) await run()
