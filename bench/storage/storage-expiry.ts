// Measures upload permits while 100,000 packages end within one minute, and the time until all ends are recorded.
// Half of the cameras have a second package, which starts at the end of the first one. Only these cameras request
// permits, so a refused permit is an error.
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Call, rateOf } from '../lib/call-rate.ts'
import { psql, settle, TOKEN } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct, untilQuiet } from '../lib/product.ts'
import { print, remark } from '../lib/report.ts'
import { fillCameras, fillEntitlements, untilState } from '../lib/storage-cameras.ts'

const CAMERAS = Number(process.env.BENCH_ROWS ?? 100_000)
/** Permits per second. */
const PACE = 500
const IDLE_SECONDS = 20
const MINUTE_SECONDS = 60
/** Covers one more run of the scheduled job, which runs every minute and records the ends. */
const MEASURED_SECONDS = MINUTE_SECONDS + 60
/** Time before the first end, in which the server loads the changed queues and the idle measurement runs. */
const LEAD_SECONDS = 45 + Math.ceil(CAMERAS / 2000)
const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }

export async function run() {
  const product = await startProduct({ port: 18_366 })
  try {
    fillCameras(product, CAMERAS)
    fillEntitlements(product, { to: CAMERAS, hasNext: true })
    settle(product)
    await untilState(product.url, `D${CAMERAS}`, 'recording')
    await untilQuiet(product)
    remark(`load of the machine ${loadavg()[0]!.toFixed(1)}; ${CAMERAS} packages end in ${MINUTE_SECONDS} s`)
    const firstEnd = setEnds(product)
    await untilQuiet(product)
    const idle = await p99(product, IDLE_SECONDS)
    if (Date.now() > firstEnd) throw new Error('the first package ended before the measurement')
    await sleep(firstEnd - Date.now())
    const [late, ending] = await Promise.all([
      untilRecorded(product, firstEnd + MINUTE_SECONDS * 1000),
      p99(product, MEASURED_SECONDS),
    ])
    remark(
      `99 % of the permits at ${PACE} a second: idle ${idle.toFixed(1)} ms, while packages end ${ending.toFixed(1)} ms`,
    )
    print({ name: 'p99 of permits while packages end ÷ idle', value: ending / idle, unit: '×', bar: 2, better: 'less' })
    print({ name: 'last end until all ends are recorded', value: late, unit: 's', bar: 60, better: 'less' })
    await assertRecorded(product)
  } finally {
    await product.stop()
  }
}

/** Spreads the ends of the current packages over the seconds of one clock minute. Returns the time of the first end. */
function setEnds(product: Product): number {
  const minute = MINUTE_SECONDS * 1000
  const first = Math.ceil((Date.now() + LEAD_SECONDS * 1000) / minute) * minute
  const end = `to_timestamp(${first / 1000}) + make_interval(secs => device_id % ${MINUTE_SECONDS})`
  const length = (column: string) => `extract(epoch from ${end} - ${column})`
  psql(
    product,
    `begin;
     update oss_entitlements set end_time = ${end}, total_seconds = ${length('run_from')} where state = 1;
     update oss_entitlements set start_time = ${end}, end_time = ${end} + interval '29 days' where state = 0;
     update oss_queues set next_time = ${end},
       end_time = ${end} + case when device_id % 2 = 0 then interval '29 days' else interval '0' end;
     commit`,
  )
  return first
}

/** Returns the 99th percentile of the permit times in milliseconds. */
async function p99({ url }: Product, seconds: number) {
  let calls = 0
  const next = (): Call => {
    calls += 1
    const sn = `D${2 * (1 + ((calls * 611_953) % Math.floor(CAMERAS / 2)))}`
    const segment = { start: Date.now(), durationMs: 4000, bytes: 412_096, format: 'ts', session: 77, seq: calls }
    return {
      path: '/device/v1/storage/permit',
      headers: HEADERS,
      body: JSON.stringify({ sn, channel: 0, segments: [segment] }),
    }
  }
  return (await rateOf(url, seconds, { next, expected: '"ticket"', perSecond: PACE })).p99
}

/** Returns the seconds from the last end until all ends are recorded. */
async function untilRecorded({ socket }: Product, lastEnd: number) {
  await sleep(lastEnd - Date.now())
  const client = new pg.Client({ host: socket, user: 'oms', database: 'oms' })
  await client.connect()
  const text = 'select exists (select from oss_queues where next_time <= to_timestamp($1)) as open'
  // oxlint-disable-next-line no-await-in-loop -- polls until the condition is met
  while ((await client.query(text, [lastEnd / 1000])).rows[0].open) await sleep(250)
  await client.end()
  return (Date.now() - lastEnd) / 1000
}

/** Throws unless all first packages have ended and all second packages are in force. */
async function assertRecorded(product: Product) {
  const counts = psql(product, `select state, count(*) from oss_entitlements group by 1 order by 1`)
  const half = Math.floor(CAMERAS / 2)
  if (counts !== `1|${half}\n2|${CAMERAS}`) throw new Error(`entitlements by state: ${counts}`)
  await untilState(product.url, 'D1', 'expired')
}

if (isMain(import.meta)) await run()
