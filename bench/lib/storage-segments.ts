import { join } from 'node:path'
import pg from 'pg'
import { psql } from './fleet.ts'
import type { Product } from './product.ts'
import { median, print, remark } from './report.ts'

const ROWS = 20_000
const BATCH = 500
const ROUNDS = 3
const source = (path: string) => import(join(import.meta.dirname, '../../apps/server/src/modules/storage/video', path))

/** Measures the writer of segments (partitions, triggers, device days) against plain inserts into one table. */
export async function segments(product: Product) {
  const pool = new pg.Pool({ host: product.socket, user: 'oms', database: 'oms', max: 5 })
  const { SegmentWriter } = (await source(
    'segment-writer.ts',
  )) as typeof import('../../apps/server/src/modules/storage/video/segment-writer.ts')
  const { computeSegmentDays } = (await source(
    'segment.ts',
  )) as typeof import('../../apps/server/src/modules/storage/video/segment.ts')
  psql(product, 'create table bench_segments (like oss_segments including indexes)')
  const writer = new SegmentWriter(pool)
  const start = Date.now() - 3_600_000
  const rates = { writer: [] as number[], plain: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    const rows = Array.from({ length: ROWS }, (_, at) => {
      const startMs = start + round * 10_000 + Math.floor(at / 5000) * 1000
      const terms = { recordType: 1, entitlementId: 1, modelId: 1, tenantId: 1, ownerId: 0, eventNo: 0, eventType: 0 }
      const place = { deviceId: 1 + (at % 5000), channel: 0, startMs, durationMs: 4000, bytes: 412_096 }
      return {
        ...terms,
        ...place,
        session: 1,
        seq: at,
        initBytes: 0,
        salt: at,
        format: 1 as const,
        ...computeSegmentDays(startMs, 30, 'Asia/Shanghai'),
      }
    })
    rates.writer.push(await rateOf(() => Promise.all(rows.map((row) => writer.add(row)))))
    rates.plain.push(await rateOf(() => plainInserts(pool, rows)))
  }
  await writer.close()
  await pool.end()
  const [written, plain] = [median(rates.writer), median(rates.plain)]
  remark(`segments a second: writer ${written.toFixed(0)}, plain inserts of ${BATCH} ${plain.toFixed(0)}`)
  print({ name: 'segments committed ÷ plain inserts', value: written / plain, unit: '×', bar: 0.25, better: 'more' })
  print({ name: 'segments committed a second', value: written, unit: '', bar: 1200, better: 'more' })
}

async function rateOf(work: () => Promise<unknown>) {
  const from = performance.now()
  await work()
  return (ROWS / (performance.now() - from)) * 1000
}

interface Row {
  readonly expireDay: string
  readonly deviceId: number
  readonly startMs: number
  readonly salt: number
  readonly day: string
  readonly seq: number
}

async function plainInserts(pool: pg.Pool, rows: readonly Row[]) {
  for (let at = 0; at < rows.length; at += BATCH) {
    const some = rows.slice(at, at + BATCH)
    await pool.query(
      `insert into bench_segments (expire_day, device_id, channel, kind, start_ms, duration_ms, bytes, session, seq,
         tenant_id, owner_id, entitlement_id, model_id, init_bytes, salt, day, format, record_type, status)
       select e, d, 0, 1, s, 4000, 412096, 1, q, 1, 0, 1, 1, 0, t, y, 1, 1, 1
       from unnest($1::date[], $2::int[], $3::bigint[], $4::int[], $5::int[], $6::date[]) as x (e, d, s, q, t, y)`,
      [
        some.map(({ expireDay }) => expireDay),
        some.map(({ deviceId }) => deviceId),
        some.map(({ startMs }) => startMs),
        some.map(({ seq }) => seq),
        some.map(({ salt }) => salt),
        some.map(({ day }) => day),
      ],
    )
  }
}
