// Measures pages of after-sales tickets with 100,000 tickets against 1,000, and a year of statistics.
import { psql } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'

const SMALL = 1000
const LARGE = 100_000
const ROUNDS = 200
const MODELS = 10
const LISTS = [
  ['all tickets', 'page'],
  ['pending', 'pending/page'],
  ['one status', 'page', '&status=5'],
  ['one customer', 'page', '&tenantId=2'],
  ['one serial', 'page', '&sn=SN000777'],
] as const
const STATISTICS = ['summary', 'trend', 'problem', 'model', 'handler', 'heatmap', 'age'] as const

export async function run() {
  const product = await startProduct({ port: 18_311, env: { OMS_DB_POOL: '10' } })
  try {
    prepare(product)
    grow(product, SMALL)
    // A new process is slow at first: the first round is only a warm-up.
    await measure(product)
    const small = await measure(product)
    grow(product, LARGE)
    const large = await measure(product)
    for (const [name] of LISTS) {
      remark(`${name}: ${small.get(name)?.toFixed(2)} ms at ${SMALL}, ${large.get(name)?.toFixed(2)} ms at ${LARGE}`)
      const value = (large.get(name) ?? 0) / (small.get(name) ?? 1)
      print({ name: `ticket page, ${name}, at 100,000 ÷ at 1,000`, value, unit: '×', bar: 2, better: 'less' })
    }
    for (const part of STATISTICS)
      print({
        name: `statistics ${part} over 366 days`,
        value: await year(product, part),
        unit: 'ms',
        bar: 500,
        better: 'less',
      })
  } finally {
    await product.stop()
  }
}

function prepare(product: Product) {
  psql(product, `insert into device_types (type_name, type_code) values ('bench', 'bench')`)
  psql(
    product,
    `insert into device_models (type_id, model_name, model_code)
     select 1, 'bench ' || g, 'bench' || g from generate_series(1, ${MODELS}) g`,
  )
  psql(product, `insert into tenants (name, tenant_no) select 'bench ' || g, 'B' || g from generate_series(1, 20) g`)
  psql(
    product,
    `insert into fleet_counts (tenant_id, model_id, ver_code, region, os_ver, devices, online, inactive, disabled, activated, activated_today, created_today)
     select t, m, v * 100, '', 'V' || v, 500, 0, 0, 0, 500, 0, 0 from generate_series(1, 20) t, generate_series(1, ${MODELS}) m, generate_series(1, 10) v`,
  )
}

/** Fills the table with tickets of the last year; one in fifty is open, as at a typical desk. */
function grow(product: Product, rows: number) {
  psql(
    product,
    `set session time zone 'Asia/Shanghai'; insert into tickets (tenant_id, feedback_no, account, sn, model_id, ver_code, problem_type, content, problem_attr, status,
       priority, last_handler_id, first_respond_time, close_time, create_time, update_time, sla_state)
     select 1 + g % 20, 'FB' || lpad(g::text, 13, '0'), 'user' || g, 'SN' || lpad((g % 50000)::text, 6, '0'), 1 + g % ${MODELS},
       100 * (1 + g % 10), 1 + g % 3, 'bench ticket ' || g, jsonb_build_object('hardware', jsonb_build_array((1 + g % 9)::text),
       'software', '[]'::jsonb, 'structure', '[]'::jsonb), case when g % 50 = 0 then g % 5 else 5 end, 1 + g % 4, 1,
       t + interval '1 hour', case when g % 50 = 0 then null else t + interval '2 days' end, t, t, 1
     from (select g, now() - (g % 8784) * interval '1 hour' as t
       from generate_series((select coalesce(max(id), 0) + 1 from tickets), ${rows}) g) made`,
  )
  // Runs the work of the quarter-hourly job.
  psql(
    product,
    `with gone as (delete from ticket_facts returning dim, day, tenant_id, model_id, key, n, total)
     insert into ticket_facts (dim, day, tenant_id, model_id, key, n, total, fresh)
     select dim, day, tenant_id, model_id, key, sum(n), sum(total), false from gone group by 1, 2, 3, 4, 5`,
  )
  psql(product, 'vacuum analyze tickets')
  psql(product, 'vacuum analyze ticket_facts')
}

/** Returns the milliseconds of each list's first page on one connection: medians after a warm-up. */
async function measure(product: Product) {
  const headers = { ticket: await product.login() }
  const found = new Map<string, number>()
  for (const [name, path, more = ''] of LISTS)
    found.set(
      name,
      await timeOf(`${product.url}/api/v1/feedback/${path}?pageNum=1&pageSize=20${more}`, headers, ROUNDS),
    )
  return found
}

async function timeOf(url: string, headers: Record<string, string>, rounds: number) {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    const reply = await fetch(url, { headers })
    const { code, msg } = (await reply.json()) as { code: number; msg: string }
    if (code !== 200) throw new Error(`${url}: ${code} ${msg}`)
    if (round >= rounds / 4) times.push(performance.now() - started)
  }
  return median(times)
}

async function year(product: Product, part: string) {
  const headers = { ticket: await product.login() }
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const url = `${product.url}/api/v1/feedback/statistics/${part}?startDate=${day(365)}&endDate=${day(0)}`
  return timeOf(url, headers, 12)
}

if (isMain(import.meta)) await run()
