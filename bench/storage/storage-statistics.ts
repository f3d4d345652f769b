// Measures the statistics of cloud storage over 366 days: 100 tenants, 12 packages, sales on every day.
import { ask } from '../lib/console.ts'
import { psql } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct } from '../lib/product.ts'
import { median, print } from '../lib/report.ts'

const TENANTS = 100
const PACKAGES = 12
const ROUNDS = 15
const PARTS = ['summary', 'trend', 'package', 'source', 'tenant', 'expiring', 'forecast', 'usage'] as const

export async function run() {
  const product = await startProduct({ port: 18_312 })
  try {
    fill(product)
    const ticket = await product.login()
    for (const part of PARTS)
      print({
        name: `storage statistics ${part} over 366 days`,
        value: await year(product, ticket, part),
        unit: 'ms',
        bar: 500,
        better: 'less',
      })
  } finally {
    await product.stop()
  }
}

/** Inserts merged sums as the job leaves them: one row a day, tenant, package and kind. */
function fill(product: Product) {
  const groups = `generate_series(1, ${TENANTS}) t, generate_series(1, ${PACKAGES}) p`
  psql(
    product,
    `insert into oss_flows (day, tenant_id, package_id, source, kind, n, amount)
     select current_date - d, t, p, 1, k, 3, 2700 from generate_series(0, 365) d, ${groups}, generate_series(1, 3) k`,
  )
  psql(
    product,
    `insert into oss_counts (tenant_id, package_id, record_type, source, state, n)
     select t, p, 1, 1, s, 600 from ${groups}, generate_series(0, 2) s`,
  )
  psql(
    product,
    `insert into oss_ends (day, tenant_id, package_id, n) select current_date + d, t, p, 5
     from generate_series(0, 365) d, ${groups}`,
  )
  psql(
    product,
    `insert into oss_usage_days (day, tenant_id, model_id, record_type, segments, duration_ms, bytes, device_days)
     select current_date - d, t, p, 1, 1000, 4000, 1000000, 50 from generate_series(0, 365) d, ${groups}`,
  )
  psql(product, 'analyze oss_flows, oss_counts, oss_ends, oss_usage_days')
}

/** Returns the median response time of one part in milliseconds. */
async function year(product: Product, ticket: string, part: string) {
  const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now()
    const path = `/api/v1/oss/statistics/${part}?startDate=${day(365)}&endDate=${day(0)}`
    // oxlint-disable-next-line no-await-in-loop -- one request after the other
    await ask(product, ticket, ['GET', path])
    times.push(performance.now() - started)
  }
  return median(times)
}

if (isMain(import.meta)) await run()
