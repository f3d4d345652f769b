// Measures the statistics of plays over 366 days at 30 million plays (`BENCH_ROWS`) and at a tenth of them, and the merge
// of differences. The same 300 screens of four tenants play 12 ads of six programs in both cases: 1.3 million rows by day
// and 0.4 million rows by hour.
import { join } from 'node:path'
import { ask } from '../lib/console.ts'
import { psql, settle } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'

const source = (path: string) => import(join(import.meta.dirname, '../../apps/server/src', path))
const DAYS = 366
const PLAYS = Number(process.env.BENCH_ROWS ?? 30_000_000)
const SCREENS = Math.max(12, Math.round(PLAYS / 100_000))
const PAIRS = 12
const ROUNDS = 5
const DIFFERENCES = 50_000
const PARTS = [
  'summary',
  'trend',
  'rank?by=1',
  'rank?by=3',
  'heatmap',
  'detail',
  'detail?groupBy=1',
  'detail?groupBy=4',
  'rank?by=5',
] as const

export async function run() {
  const product = await startProduct({ port: 18_314 })
  try {
    const ticket = await product.login()
    const [few, many] = [await timesAt(product, ticket, PLAYS / 10), await timesAt(product, ticket, PLAYS)]
    for (const [at, part] of PARTS.entries())
      remark(`${part}: ${few[at]!.toFixed(0)} ms at ${PLAYS / 10} plays, ${many[at]!.toFixed(0)} ms at ${PLAYS}`)
    const sum = (times: readonly number[]) => times.reduce((total, time) => total + time, 0)
    print({
      name: `statistics of plays over 366 days, ${PLAYS} plays ÷ a tenth of them`,
      value: sum(many) / sum(few),
      unit: '',
      bar: 1.3,
      better: 'less',
    })
    print({ name: 'merge of differences', value: await merged(product), unit: 'rows/s', bar: 10_000, better: 'more' })
  } finally {
    await product.stop()
  }
}

/** Fills the sums with this number of plays and returns the median time of each call. */
async function timesAt(product: Product, ticket: string, plays: number) {
  const each = Math.max(1, Math.round(plays / (DAYS * SCREENS * PAIRS)))
  psql(product, 'truncate ad_play_days, ad_play_hours')
  psql(
    product,
    `insert into ad_play_days (day, device_id, program_id, ad_id, tenant_id, plays, complete, partial, failed, ms, untrusted,
       exposure, first_start, last_end)
     select current_date - d, s, p % 6 + 1, p + 1, s % 4 + 1, ${each}, ${each}, 0, 0, ${each} * 15000, 0, ${each} * 150, d, d
     from generate_series(0, ${DAYS - 1}) d, generate_series(1, ${SCREENS}) s, generate_series(0, ${PAIRS - 1}) p`,
  )
  psql(
    product,
    `insert into ad_play_hours (hour, tenant_id, program_id, ad_id, model_id, plays, complete, partial, failed, ms, untrusted)
     select extract(epoch from date_trunc('hour', now()) - make_interval(hours => h)) * 1000, t, p % 6 + 1, p + 1, 1,
       ${each * 3}, ${each * 3}, 0, 0, ${each * 3} * 15000, 0
     from generate_series(0, ${DAYS * 24 - 1}) h, generate_series(1, 4) t, generate_series(0, ${PAIRS - 1}) p`,
  )
  psql(product, 'vacuum analyze ad_play_days, ad_play_hours')
  settle(product)
  // Loading the rows blocked this process, so closed sockets must be detected before a connection is reused.
  await new Promise((done) => setTimeout(done, 500))
  const times: number[] = []
  // oxlint-disable-next-line no-await-in-loop -- one call after the other
  for (const part of PARTS) times.push(await year(product, ticket, part))
  return times
}

/** Returns the median response time of one call over the whole year in milliseconds. */
async function year(product: Product, ticket: string, part: string) {
  const day = (back: number) => new Date(Date.now() + 8 * 3_600_000 - back * 86_400_000).toISOString().slice(0, 10)
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const path = `/api/v1/advertise/statistics/${part}${part.includes('?') ? '&' : '?'}startDate=${day(DAYS - 1)}&endDate=${day(0)}`
    const started = performance.now()
    // oxlint-disable-next-line no-await-in-loop -- one request after the other
    await ask(product, ticket, ['GET', path])
    times.push(performance.now() - started)
  }
  return median(times)
}

const insertDifferences = (product: Product) =>
  psql(
    product,
    `insert into ad_play_fresh (hour, day, device_id, tenant_id, program_id, ad_id, model_id, plays, complete, partial, failed,
       ms, untrusted, first_start, last_end)
     select extract(epoch from date_trunc('hour', now())) * 1000, current_date, n % ${SCREENS} + 1, n % 4 + 1, n % 6 + 1,
       n % ${PAIRS} + 1, 1, 1, 1, 0, 0, 15000, 0, n, n from generate_series(1, ${DIFFERENCES}) n`,
  )

/** Returns the differences that one connection merges in a second, among the rows of the year. */
async function merged(product: Product) {
  const { openPool } = (await source(
    'core/database/client.ts',
  )) as typeof import('../../apps/server/src/core/database/client.ts')
  const { mergePlaySums } = (await source(
    'modules/advertise/plays/play-sums.ts',
  )) as typeof import('../../apps/server/src/modules/advertise/plays/play-sums.ts')
  const database = await openPool(
    { host: product.socket, user: 'oms', database: 'oms' },
    { size: 1, embedded: true, warn: () => {}, closeAfter: async () => {} },
  )
  try {
    for (;;) {
      insertDifferences(product)
      const started = performance.now()
      const { merged: count } = await mergePlaySums(database.db)
      // The job of the product, which runs every minute, may have merged the differences before.
      if (count === DIFFERENCES) return (count / (performance.now() - started)) * 1000
    }
  } finally {
    await database.close()
  }
}

if (isMain(import.meta)) await run()
