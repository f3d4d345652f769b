// Measures the list of entitlements with 1,000,000 entitlements against 1,000. The statistics of 366 days are measured
// by `storage-statistics`.
import { ask } from '../lib/console.ts'
import { psql, settle } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct, untilQuiet } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'
import { fillCameras, fillEntitlements } from '../lib/storage-cameras.ts'

const ROWS = Number(process.env.BENCH_ROWS ?? 1_000_000)
const FEW_ROWS = 1000
const ROUNDS = 60

/**
 * Queries of the list: the first pages in each order, and the filters with an index. The serial number is the second last
 * one, which no other serial number contains, so the query finds one row at every size.
 */
const QUERIES = {
  'first page': 'pageNum=1',
  'tenth page': 'pageNum=10',
  'by end': 'pageNum=1&orderByColumn=endTime&isAsc=asc',
  'by start': 'pageNum=1&orderByColumn=startTime&isAsc=desc',
  'one serial number': 'pageNum=1&sn=',
  'state in force': 'pageNum=1&state=1',
  'service in force': 'pageNum=1&serviceState=1',
  'one package': 'pageNum=1&packageId=1',
} as const
type Name = keyof typeof QUERIES
const NAMES = Object.keys(QUERIES) as Name[]

export async function run() {
  const product = await startProduct({ port: 18_365 })
  try {
    fillCameras(product, ROWS)
    fillEntitlements(product, { to: FEW_ROWS })
    const ticket = await ready(product)
    // The first round warms up the new process.
    await measure(product, ticket, FEW_ROWS)
    const few = await measure(product, ticket, FEW_ROWS)
    fillEntitlements(product, { from: FEW_ROWS + 1, to: ROWS })
    const many = await measure(product, await ready(product), ROWS)
    for (const name of NAMES)
      remark(`${name}: ${few[name].toFixed(2)} ms at ${FEW_ROWS} entitlements, ${many[name].toFixed(2)} ms at ${ROWS}`)
    const sum = (times: Times) => NAMES.reduce((total, name) => total + times[name], 0)
    print({
      name: `list of entitlements at ${ROWS} ÷ at ${FEW_ROWS}, all queries`,
      value: sum(many) / sum(few),
      unit: '×',
      bar: 2,
      better: 'less',
    })
    const value = Math.max(...NAMES.map((name) => many[name] / few[name]))
    print({ name: 'the query that grows most', value, unit: '×', bar: 2, better: 'less' })
  } finally {
    await product.stop()
  }
}

type Times = Readonly<Record<Name, number>>

/** Waits until database and server are idle, and returns the token of a new session. */
async function ready(product: Product) {
  psql(product, 'vacuum analyze oss_entitlements, oss_queues')
  settle(product)
  await untilQuiet(product)
  return product.login()
}

/** Returns the median milliseconds of each query at this number of entitlements, one request after the other. */
async function measure(product: Product, ticket: string, rows: number): Promise<Times> {
  const times = Object.fromEntries(NAMES.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round < ROUNDS; round++)
    for (const name of NAMES) {
      const query = name === 'one serial number' ? `${QUERIES[name]}D${rows - 1}` : QUERIES[name]
      const started = performance.now()
      // oxlint-disable-next-line no-await-in-loop -- one request after the other
      await ask(product, ticket, ['GET', `/api/v1/oss/device/page?pageSize=20&${query}`])
      times[name].push(performance.now() - started)
    }
  return Object.fromEntries(NAMES.map((name) => [name, median(times[name])])) as Times
}

if (isMain(import.meta)) await run()
