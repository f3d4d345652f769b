// Measures the deletion of one day of videos, its effect on playback, and reads of a channel beside ten million rows.
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { psql, settle } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'
import { removeTemporary, temporaryFolder } from '../lib/temporary.ts'

const ROWS = Number(process.env.BENCH_ROWS ?? 10_000_000)
const FEW_ROWS = 10_000
/** Recordings of one camera on one day. */
const A_CAMERA = 1000
const SEGMENT_MS = 4000
const HOUR_MS = 3_600_000
const ZONE = 'Asia/Shanghai'
const ROUNDS = 25
/** Rows of one INSERT: its trigger keeps them in memory. */
const CHUNK = 500_000

const source = (path: string) => import(join(import.meta.dirname, '../../apps/server/src', path))
const { LocalMedia } = (await source(
  'core/media/local-media.ts',
)) as typeof import('../../apps/server/src/core/media/local-media.ts')
type LocalMedia = InstanceType<typeof LocalMedia>
// The product's parsers of dates and numbers.
await source('core/database/client.ts')
const { removeExpiredDays } = (await source(
  'modules/storage/video/retention.ts',
)) as typeof import('../../apps/server/src/modules/storage/video/retention.ts')
const log = { warn: remark, error: remark } as unknown as Parameters<typeof removeExpiredDays>[0]['log']
const { listRecordings } = (await source(
  'modules/storage/playback/recordings.ts',
)) as typeof import('../../apps/server/src/modules/storage/playback/recordings.ts')
const { addDays, formatLocalDay } = (await source(
  'core/time/zone.ts',
)) as typeof import('../../apps/server/src/core/time/zone.ts')

const openDb = (pool: pg.Pool) => drizzle(pool, { casing: 'snake_case' })

const NOW = Date.now()
const TODAY = formatLocalDay(NOW, ZONE)
/** The first recording of every camera: yesterday at 08:00. */
const FROM = Date.parse(`${addDays(TODAY, -1)}T08:00:00+08:00`)
/** Expire days: three small partitions, the large one, and one that is kept and played during the deletions. */
const SMALL = [10, 11, 12].map((days) => addDays(TODAY, days))
const LARGE = addDays(TODAY, 13)
const KEPT = addDays(TODAY, 14)

export async function run() {
  const product = await startProduct({ port: 18_355 })
  const pool = new pg.Pool({ host: product.socket, user: 'oms', database: 'oms', max: 8 })
  const folder = temporaryFolder('oms-media-')
  try {
    // Device ids are unique over all partitions, because the calendar of a camera names the partitions of its rows.
    const first = fill(
      product,
      [...SMALL, KEPT].map((day) => [day, FEW_ROWS] as const),
    )
    fill(product, [[LARGE, ROWS]], first)
    settle(product)
    remark(`load of the machine ${loadavg()[0]!.toFixed(1)}; ${ROWS} rows in the large partition`)
    await reads(pool, first)
    await sweep(pool, new LocalMedia(folder))
  } finally {
    await pool.end()
    await product.stop()
    removeTemporary(folder)
  }
}

/** Fills the partitions of these expire days, and returns the next free device id. */
function fill(product: Product, days: readonly (readonly [string, number])[], from = 1) {
  let next = from
  for (const [day, rows] of days) {
    psql(product, `select oms_ensure_video_days(array['${day}'::date])`)
    for (let at = 0; at < rows; at += CHUNK) {
      const cameras = Math.min(CHUNK, rows - at) / A_CAMERA
      psql(product, insertOf(day, next, cameras))
      next += cameras
    }
  }
  // No automatic vacuum of the new rows runs during the deletions: expired partitions have been unchanged for days.
  psql(product, 'vacuum (analyze) oss_segments, oss_device_days')
  return next
}

const insertOf = (day: string, first: number, cameras: number) => `
  insert into oss_segments (expire_day, device_id, channel, kind, start_ms, duration_ms, bytes, session, seq, tenant_id,
    entitlement_id, model_id, salt, day, format, record_type)
  select '${day}', d, 0, 1, ${FROM} + n * ${SEGMENT_MS}, ${SEGMENT_MS}, 412096, 1, n, 1, 1, 1, n, '${addDays(TODAY, -1)}', 1, 1
  from generate_series(${first}, ${first + cameras - 1}) d, generate_series(0, ${A_CAMERA - 1}) n;
  insert into oss_device_days (device_id, channel, day, tenant_id, model_id, record_type, expire_days, segments, events,
    duration_ms, bytes, first_ms, last_ms)
  select d, 0, '${addDays(TODAY, -1)}', 1, 1, 1, array['${day}'::date], ${A_CAMERA}, 0, ${A_CAMERA * SEGMENT_MS}, 1, ${FROM}, ${FROM}
  from generate_series(${first}, ${first + cameras - 1}) d`

/** Compares the recordings of a camera on a day and in an hour between the large and a small partition. */
async function reads(pool: pg.Pool, firstOfLarge: number) {
  const db = openDb(pool)
  const cameras = { few: FEW_ROWS / A_CAMERA, many: ROWS / A_CAMERA }
  for (const [name, length] of [
    ['timeline of a day', 24 * HOUR_MS],
    ['playlist of an hour', HOUR_MS],
  ] as const) {
    const times = { few: [] as number[], many: [] as number[] }
    for (let round = 0; round < ROUNDS; round++)
      for (const [key, base] of [
        ['few', 1],
        ['many', firstOfLarge],
      ] as const) {
        const deviceId = base + Math.floor(Math.random() * cameras[key])
        // oxlint-disable-next-line no-await-in-loop -- one query after the other
        times[key].push(await timeOf(() => recordings(db, deviceId, length)))
      }
    remark(`${name}: ${median(times.few).toFixed(1)} ms at ${FEW_ROWS} rows, ${median(times.many).toFixed(1)} ms`)
    print({ name, value: median(times.many) / median(times.few), unit: '×', bar: 2, better: 'less' })
  }
}

async function recordings(db: Parameters<typeof listRecordings>[0], deviceId: number, length: number) {
  const scope = { deviceId, channel: 0, tenantId: 1, ownerId: 0, begin: FROM, end: FROM + length }
  const rows = await listRecordings(db, scope, { zone: ZONE, now: NOW })
  if (rows.length === 0) throw new Error(`no recordings of device ${deviceId}`)
}

/** Compares the deletion of a large day with small days, while a camera of another day is played all the time. */
async function sweep(pool: pg.Pool, media: LocalMedia) {
  const small: number[] = []
  let large = 0
  const steps = new Map<string, number>()
  const waits = await playingDuring(pool, async () => {
    // oxlint-disable-next-line no-await-in-loop -- one day after the other
    for (const day of SMALL) small.push(await timeOf(() => removeExpiredDays({ pool, media, log }, day)))
    const from = performance.now()
    const onStep = (step: string) => steps.set(step, performance.now() - from)
    large = await timeOf(() => removeExpiredDays({ pool, media, log, onStep }, LARGE))
  })
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from oss_segments')
  if (rows[0]!.n !== FEW_ROWS) throw new Error(`${rows[0]!.n} rows remain`)
  remark(`deletion of a day: ${median(small).toFixed(0)} ms at ${FEW_ROWS} rows, ${large.toFixed(0)} ms at ${ROWS}`)
  const at = (step: string) => (steps.get(step) ?? Number.NaN).toFixed(0)
  remark(`of the large day: objects until ${at('objects')} ms, sums ${at('sums')} ms, commit ${at('dropped')} ms`)
  const value = large / median(small)
  print({ name: 'deletion of a large day ÷ a small one', value, unit: '×', bar: 3, better: 'less' })
  print({ name: 'longest read during the deletions', value: Math.max(...waits), unit: 'ms', bar: 200, better: 'less' })
}

/** Repeats the read of one hour of the kept day while `work` runs. Returns the milliseconds of each read. */
async function playingDuring(pool: pg.Pool, work: () => Promise<void>) {
  const db = openDb(pool)
  const deviceId = (SMALL.length * FEW_ROWS) / A_CAMERA + 1
  const waits: number[] = []
  let isOver = false
  const play = async () => {
    // oxlint-disable-next-line no-await-in-loop -- one query after the other
    while (!isOver) waits.push(await timeOf(() => recordings(db, deviceId, HOUR_MS)))
  }
  await Promise.all([play(), work().finally(() => (isOver = true))])
  return waits
}

async function timeOf(work: () => Promise<unknown>) {
  const from = performance.now()
  await work()
  return performance.now() - from
}

if (isMain(import.meta)) await run()
