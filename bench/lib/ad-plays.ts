import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import type { PlayRow } from '../../apps/server/src/modules/advertise/plays/play-row.ts'
import { psql } from './fleet.ts'
import type { Product } from './product.ts'
import { median, print, remark } from './report.ts'

const DEVICES = 400
const PER_CALL = 50
const ROWS = DEVICES * PER_CALL
const BATCH = 5000
/** Plays of an hour at 10 million plays a day. */
const HOUR_PLAYS = 420_000
const ROUNDS = 5
const source = (path: string) => import(join(import.meta.dirname, '../../apps/server/src/modules/advertise', path))

/** Measures the writer of plays (checks, sums, partitions) against plain inserts, and the same batches again. */
export async function plays(product: Product) {
  const pool = new pg.Pool({ host: product.socket, user: 'oms', database: 'oms', max: 2 })
  const { PlayWriter } = (await source(
    'plays/play-writer.ts',
  )) as typeof import('../../apps/server/src/modules/advertise/plays/play-writer.ts')
  psql(product, 'create table bench_plays (like ad_plays including indexes including defaults)')
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const writer = new PlayWriter(pool, dayOf)
  const rates = { first: [] as number[], again: [] as number[], plain: [] as number[] }
  let freshRows = 0
  for (let round = 0; round < ROUNDS; round++) {
    const calls = callsOf(round, dayOf)
    const all = () => Promise.all(calls.map((rows) => writer.add(rows, [])))
    rates.plain.push(await rateOf(() => plainInserts(pool, calls.flat())))
    rates.first.push(await rateOf(all))
    freshRows = Number(psql(product, 'select count(*) from ad_play_fresh'))
    rates.again.push(await rateOf(all))
    if (Number(psql(product, 'select count(*) from ad_play_fresh')) !== freshRows)
      throw new Error('a batch was summed twice')
  }
  await writer.close()
  await pool.end()
  const [first, again, plain] = [median(rates.first), median(rates.again), median(rates.plain)]
  remark(
    `plays a second: stored ${first.toFixed(0)}, again ${again.toFixed(0)}, plain inserts of ${BATCH} ${plain.toFixed(0)}`,
  )
  print({
    name: `plays stored a second, for ${HOUR_PLAYS} plays in an hour`,
    value: first,
    unit: 'plays/s',
    bar: Math.ceil(HOUR_PLAYS / 3600),
    better: 'more',
  })
  print({ name: 'plays stored ÷ plain multi-row inserts', value: first / plain, unit: '×', bar: 0.5, better: 'more' })
  print({ name: 'time of a batch again ÷ first time', value: first / again, unit: '×', bar: 0.6, better: 'less' })
}

/** Returns one call of 50 plays for each device. */
function callsOf(round: number, dayOf: (ms: number) => string): PlayRow[][] {
  const start = Date.now() - (ROUNDS - round) * 3_600_000
  return Array.from({ length: DEVICES }, (_, device) =>
    Array.from({ length: PER_CALL }, (_each, at) => {
      const startMs = start + at * 15_000
      const ids = {
        tenantId: 1,
        modelId: 1,
        programId: 1 + (at % 3),
        programVer: 1,
        itemId: 1,
        adId: 1 + (at % 12),
        adVer: 1,
      }
      const facts = {
        materialId: 1,
        ms: 15_000,
        planned: 15_000,
        result: 1,
        clock: 1,
        count: 1,
        mayOverlap: false,
        isTakeover: false,
      }
      const days = { playDay: dayOf(startMs), day: dayOf(startMs), hour: Math.floor(startMs / 3_600_000) * 3_600_000 }
      return { deviceId: 1 + device, reportId: randomUUID(), startMs, ...ids, ...facts, ...days }
    }),
  )
}

async function rateOf(work: () => Promise<unknown>) {
  const from = performance.now()
  await work()
  return (ROWS / (performance.now() - from)) * 1000
}

const FIELDS = [
  'deviceId',
  'reportId',
  'startMs',
  'ms',
  'planned',
  'tenantId',
  'modelId',
  'programId',
  'programVer',
  'itemId',
  'adId',
  'adVer',
  'materialId',
  'result',
  'clock',
  'count',
] as const

async function plainInserts(pool: pg.Pool, rows: readonly PlayRow[]) {
  for (let at = 0; at < rows.length; at += BATCH) {
    const some = rows.slice(at, at + BATCH)
    await pool.query({
      name: 'bench-plays',
      text: `insert into bench_plays (play_day, device_id, report_id, start_ms, ms, planned, tenant_id, model_id, program_id,
         program_ver, item_id, ad_id, ad_ver, material_id, result, clock, count)
       select * from unnest($1::date[], $2::int[], $3::uuid[], $4::bigint[], $5::int[], $6::int[], $7::int[], $8::int[], $9::int[],
         $10::int[], $11::int[], $12::int[], $13::int[], $14::int[], $15::smallint[], $16::smallint[], $17::int[])`,
      values: [some.map(({ playDay }) => playDay), ...FIELDS.map((field) => some.map((row) => row[field]))],
    })
  }
}
