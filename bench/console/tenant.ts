// Measures tenant pages (list, and overview of one tenant) with 1,000,000 devices and 100,000 tickets against 1,000.
import { psql } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'

const CUSTOMERS = 20
const SMALL = { devices: 1000, tickets: 1000 }
const LARGE = { devices: 1_000_000, tickets: 100_000 }
const ROUNDS = 120
const MODELS = 10
/** The tenant whose page is opened. */
const ONE = 2
const BLOCKS = ['devices', 'licenses', 'tickets', 'staff', 'logins', 'applications', 'appAccounts'] as const

export async function run() {
  const product = await startProduct({ port: 18_317, env: { OMS_DB_POOL: '10' } })
  try {
    prepare(product)
    grow(product, SMALL)
    // A new process is slow at first: the first round is only a warm-up.
    await measure(product)
    const small = await measure(product)
    grow(product, LARGE)
    const large = await measure(product)
    for (const [name, { first, usual }] of large) {
      const before = small.get(name)?.usual ?? 1
      remark(
        `${name}: ${before.toFixed(2)} ms, then ${usual.toFixed(2)} ms; the first after growing ${first.toFixed(0)} ms`,
      )
    }
    const ratio = (names: readonly string[]) => sumOf(large, names) / sumOf(small, names)
    const bar = { unit: '×', bar: 2, better: 'less' } as const
    print({ name: 'list of customers, at 1,000,000 devices ÷ at 1,000', value: ratio(['list']), ...bar })
    print({ name: 'page of one customer with all its blocks, same', value: ratio(['overview', ...BLOCKS]), ...bar })
  } finally {
    await product.stop()
  }
}

type Times = ReadonlyMap<string, { readonly first: number; readonly usual: number }>
const sumOf = (times: Times, names: readonly string[]) =>
  names.reduce((sum, name) => sum + (times.get(name)?.usual ?? Number.NaN), 0)

function prepare(product: Product) {
  psql(product, `insert into device_types (type_name, type_code) values ('bench', 'bench')`)
  psql(
    product,
    `insert into device_models (type_id, model_name, model_code)
     select 1, 'bench ' || g, 'bench' || g from generate_series(1, ${MODELS}) g`,
  )
  psql(
    product,
    `insert into tenants (name, tenant_no) select 'bench ' || g, 'B' || g from generate_series(1, ${CUSTOMERS}) g`,
  )
  psql(
    product,
    `insert into app_accounts (tenant_id, account, register_time, last_active_time)
     select 2 + g % ${CUSTOMERS}, 'app' || g, now() - g * interval '1 hour', now() - g * interval '1 minute'
     from generate_series(1, 2000) g`,
  )
}

/**
 * Fills the tables with rows distributed evenly over the tenants: half of the devices online, one ticket in fifty
 * open.
 */
function grow(product: Product, { devices, tickets }: { devices: number; tickets: number }) {
  psql(
    product,
    `insert into devices (tenant_id, model_id, sn, ver_code, online, token_hash)
     select 2 + g % ${CUSTOMERS}, 1 + g % ${MODELS}, 'BENCH' || g, 100, g % 2, null
     from generate_series((select count(*) + 1 from devices), ${devices}) g`,
  )
  psql(
    product,
    `insert into tickets (tenant_id, feedback_no, account, sn, model_id, ver_code, problem_type, content, status,
       priority, last_handler_id, first_respond_time, close_time, create_time, update_time, sla_state)
     select 2 + g % ${CUSTOMERS}, 'FB' || lpad(g::text, 13, '0'), 'user' || g, 'BENCH' || g, 1 + g % ${MODELS}, 100,
       1 + g % 3, 'bench ticket ' || g, case when g % 50 = 0 then g % 5 else 5 end, 1 + g % 4, 1, t + interval '1 hour',
       case when g % 50 = 0 then null else t + interval '2 days' end, t, t, 1
     from (select g, now() - (g % 8784) * interval '1 hour' as t
       from generate_series((select count(*) + 1 from tickets), ${tickets}) g) made`,
  )
  psql(product, 'vacuum analyze devices')
  psql(product, 'vacuum analyze tickets')
}

/**
 * Returns the milliseconds of the list, the page header and each block on one connection: the first request, and the
 * median.
 */
async function measure(product: Product): Promise<Times> {
  const headers = { ticket: await product.login() }
  const calls = [
    ['list', 'page?pageNum=1&pageSize=20'],
    ['overview', `overview/${ONE}`],
    ...BLOCKS.map((block) => [block, `overview/${ONE}/${block}`] as const),
  ] as const
  const found = new Map<string, { first: number; usual: number }>()
  for (const [name, path] of calls) {
    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const started = performance.now()
      const reply = await fetch(`${product.url}/api/v1/tenant/${path}`, { headers })
      const { code, msg } = (await reply.json()) as { code: number; msg: string }
      if (code !== 200) throw new Error(`${name}: ${code} ${msg}`)
      times.push(performance.now() - started)
    }
    found.set(name, { first: times[0] as number, usual: median(times.slice(ROUNDS / 4)) })
  }
  return found
}

if (isMain(import.meta)) await run()
