import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { storePlays, type TestPlay, uuidOf } from '#test/fixtures/ad-play-fixture.ts'
import { useDatabase } from '#test/fixtures/video-fixture.ts'
import { AD_PLAY_INVARIANT_QUERY } from '../invariants.ts'
import { dropOldPlays, ensurePlayPartitions, shrinkPlaySums, mergePlaySums } from './play-sums.ts'

const ZONE = 'Asia/Shanghai'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Shortly before local midnight. */
const START = Date.parse('2026-11-20T15:30:00Z')
const database = useDatabase()

const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows
const breaches = async (first = '2000-01-01') =>
  (await query(AD_PLAY_INVARIANT_QUERY, [ZONE, first])).map(({ what }: { what: string }) => what)
const store = (plays: readonly TestPlay[]) => storePlays(database.pool, plays, ZONE)
const SUMS =
  'sum(plays)::int as plays, sum(complete)::int as complete, sum(failed)::int as failed, sum(untrusted)::int as untrusted'

beforeEach(() => query('truncate ad_plays, ad_play_hours, ad_play_days, ad_play_fresh, ad_rejects, ad_names, devices'))

const playOf = fc.record({
  deviceId: fc.integer({ min: 1, max: 4 }),
  reportId: fc.integer({ min: 1, max: 60 }).map(uuidOf),
  startMs: fc.integer({ min: 0, max: 40 }).map((quarter) => START + quarter * (HOUR_MS / 4)),
  ms: fc.integer({ min: 0, max: 60_000 }),
  tenantId: fc.integer({ min: 1, max: 2 }),
  programId: fc.integer({ min: 1, max: 2 }),
  adId: fc.integer({ min: 1, max: 3 }),
  result: fc.integer({ min: 1, max: 3 }),
  clock: fc.integer({ min: 0, max: 1 }),
  count: fc.integer({ min: 1, max: 3 }),
})
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(playOf, { minLength: 1, maxLength: 8 }).map((plays) => ({ kind: 'store' as const, plays })),
  },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 5 }).map((atOnce) => ({ kind: 'merge' as const, atOnce })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'interrupt' as const }) },
)

/** Merges, and ends the connection before the commit. */
async function interruptedMerge() {
  const failing = {
    transaction: (work: (db: unknown) => Promise<unknown>) =>
      database.db.transaction(async (db) => {
        await work(db)
        throw new Error('interrupted')
      }),
  }
  await expect(mergePlaySums(failing as never, 3)).rejects.toThrow('interrupted')
}

describe('AD-11 sums of plays', () => {
  test('hourly and daily sums equal the single plays during concurrent reports, merges and interruptions', {
    timeout: 300_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 4 }),
        async (lanes) => {
          await query('truncate ad_plays, ad_play_hours, ad_play_days, ad_play_fresh')
          let running = true
          const seen = new Set<string>()
          const watch = (async () => {
            while (running) for (const what of await breaches()) seen.add(what)
          })()
          await Promise.all(
            lanes.map(async (steps) => {
              for (const one of steps)
                if (one.kind === 'store') await store(one.plays)
                else if (one.kind === 'merge') await mergePlaySums(database.db, one.atOnce)
                else await interruptedMerge()
            }),
          )
          running = false
          await watch
          expect([...seen, ...(await breaches())]).toEqual([])
          const [untrusted] = await query(
            `select (select coalesce(sum(count), 0)::int from ad_plays where clock = 0 and result < 3) as reported,
              (select coalesce(sum(untrusted), 0)::int from (select untrusted from ad_play_days
                union all select untrusted from ad_play_fresh) d) as counted`,
          )
          expect(untrusted.counted).toBe(untrusted.reported)
          await mergePlaySums(database.db)
          expect(await breaches()).toEqual([])
          expect(await query('select 1 from ad_play_fresh')).toEqual([])
        },
      ),
      { numRuns: 15 },
    )
  })

  test('a repeated report of a play changes no sum', async () => {
    const plays = [1, 2, 3].map((n) => ({ deviceId: 1, reportId: uuidOf(n), startMs: START, ms: 10_000 }))
    expect(await store(plays)).toBe(3)
    await mergePlaySums(database.db)
    expect(await store(plays.toReversed())).toBe(0)
    expect(await query(`select ${SUMS} from ad_play_days`)).toEqual([
      { plays: 3, complete: 3, failed: 0, untrusted: 0 },
    ])
    expect(await query('select 1 from ad_play_fresh')).toEqual([])
  })

  test('two simultaneous merges count every increment once', async () => {
    await store(
      Array.from({ length: 200 }, (_, n) => ({
        deviceId: n % 5,
        reportId: uuidOf(n),
        startMs: START + n * 60_000,
        ms: 1000,
      })),
    )
    const merged = await Promise.all([1, 2, 3].map(() => mergePlaySums(database.db, 20)))
    const differences = merged.reduce((sum, one) => sum + one.merged, 0)
    expect(differences).toBeGreaterThan(0)
    expect(await query('select sum(plays)::int as plays from ad_play_hours')).toEqual([{ plays: 200 }])
    expect(await breaches()).toEqual([])
  })

  test('a play counts on its local day, and for the tenant of the device at that time', async () => {
    await store([
      { deviceId: 1, reportId: uuidOf(1), startMs: START, ms: 1000 },
      { deviceId: 1, reportId: uuidOf(2), startMs: START + HOUR_MS, ms: 1000 },
      { deviceId: 1, reportId: uuidOf(3), startMs: START + HOUR_MS, ms: 1000, tenantId: 2 },
    ])
    await mergePlaySums(database.db)
    expect(await query('select day, tenant_id, plays from ad_play_days order by 1, 2')).toEqual([
      { day: '2026-11-20', tenant_id: 1, plays: 1 },
      { day: '2026-11-21', tenant_id: 1, plays: 1 },
      { day: '2026-11-21', tenant_id: 2, plays: 1 },
    ])
    expect(await breaches()).toEqual([])
  })
})

describe('AD-11 retention of plays', () => {
  const day = (offset: number) => new Date(START + offset * DAY_MS).toISOString().slice(0, 10)
  const partitions = async () =>
    (
      await query(`select right(c.relname, 8) as day from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'ad_plays'::regclass and c.relname <> 'ad_plays_other' order by 1`)
    ).map((row) => row.day)

  /** Runs a job, interrupts it at every step in turn, and runs it again until it ends. */
  async function interrupted(work: (onStep: (step: string) => void) => Promise<unknown>) {
    for (let failAt = 1; ; failAt += 1) {
      let count = 0
      const outcome = await work(() => {
        count += 1
        if (count === failAt) throw new Error('interrupted')
      }).then(
        () => 'done',
        (error: Error) => error.message,
      )
      expect(['done', 'interrupted']).toContain(outcome)
      if (outcome === 'done') return failAt
      expect(await breaches(day(-9))).toEqual([])
    }
  }

  test('partitions exist from the first retained day to three days ahead, and older plays are deleted', async () => {
    const plays = [-12, -11, -10, -9, 0, 2].map((offset) => ({
      deviceId: 1,
      reportId: uuidOf(offset + 20),
      startMs: START + offset * DAY_MS,
      ms: 1000,
    }))
    await store(plays)
    await interrupted((onStep) => ensurePlayPartitions(database.pool, day(0), 10, { onStep }))
    expect(await partitions()).toEqual(Array.from({ length: 14 }, (_, at) => day(at - 10).replaceAll('-', '')))
    expect(await query('select play_day from ad_plays_other order by 1')).toEqual([
      { play_day: day(-12) },
      { play_day: day(-11) },
    ])
    expect(await query('select count(*)::int as n from ad_plays')).toEqual([{ n: 6 }])
    await interrupted((onStep) => dropOldPlays(database.pool, day(1), 10, { onStep }))
    expect(await query('select play_day from ad_plays order by 1')).toEqual(
      [-9, 0, 2].map((at) => ({ play_day: day(at) })),
    )
    expect(await query('select sum(plays)::int as n from ad_play_fresh')).toEqual([{ n: 6 }])
    expect((await partitions())[0]).toBe(day(-9).replaceAll('-', ''))
    // Tenants may read plays only through the parent table, which has the policy.
    expect(
      await query(
        `select relname from pg_class where relname ~ '^ad_plays_' and relkind = 'r' and has_table_privilege('oms_tenant', oid, 'select')`,
      ),
    ).toEqual([])
  })

  test('sums older than 400 days are merged by month, and sums older than three years are deleted', async () => {
    const at = (iso: string) => Date.parse(`${iso}T04:00:00Z`)
    const days = [
      '2023-10-31',
      '2023-11-01',
      '2023-11-30',
      '2025-08-01',
      '2025-08-02',
      '2025-09-01',
      '2025-10-01',
      '2026-11-20',
    ]
    await store(
      days.flatMap((iso, n) =>
        [1, 2].map((deviceId) => ({ deviceId, reportId: uuidOf(n * 2 + deviceId), startMs: at(iso), ms: 1000 })),
      ),
    )
    await query(
      `insert into ad_rejects (day, device_id, reason, tenant_id, n) values ('2025-10-10', 1, 'future', 1, 1), ('2026-11-01', 1, 'future', 1, 1)`,
    )
    await mergePlaySums(database.db)
    const steps = await interrupted((onStep) => shrinkPlaySums(database.db, '2026-11-20', ZONE, { onStep }))
    expect(steps).toBe(5)
    expect(
      await query(
        'select day, sum(plays)::int as plays, min(first_start)::float8 as first, max(last_end)::float8 as last from ad_play_days group by 1 order by 1',
      ),
    ).toEqual([
      { day: '2023-11-01', plays: 4, first: at('2023-11-01'), last: at('2023-11-30') + 1000 },
      { day: '2025-08-01', plays: 4, first: at('2025-08-01'), last: at('2025-08-02') + 1000 },
      { day: '2025-09-01', plays: 2, first: at('2025-09-01'), last: at('2025-09-01') + 1000 },
      { day: '2025-10-01', plays: 2, first: at('2025-10-01'), last: at('2025-10-01') + 1000 },
      { day: '2026-11-20', plays: 2, first: at('2026-11-20'), last: at('2026-11-20') + 1000 },
    ])
    expect(await query('select sum(plays)::int as n from ad_play_hours')).toEqual([{ n: 14 }])
    expect(await query('select day from ad_rejects')).toEqual([{ day: '2026-11-01' }])
  })
})

describe('AD-11 stored names of screens', () => {
  const nameOf = async (kind: number, id: number) =>
    (await query('select name, deleted from ad_names where kind = $1 and id = $2', [kind, id]))[0]

  test('ad_names keeps the serial number and tenant of a screen after a rename and a deletion', async () => {
    await query(
      `insert into devices (id, sn, tenant_id, model_id) values (1, 'SCR-1', 1, 1), (2, 'SCR-2', 1, 1), (3, 'BOX', 1, 1)`,
    )
    await query(`insert into ad_screens (device_id, tenant_id, player_kind) values (1, 1, 1)`)
    await store([{ deviceId: 2, reportId: uuidOf(1), startMs: START, ms: 1000 }])
    await mergePlaySums(database.db)
    await query(`update devices set deleted_at = now() where id in (1, 3)`)
    await query(`update devices set sn = 'SCR-2B' where id = 2`)
    expect([await nameOf(3, 1), await nameOf(3, 2), await nameOf(3, 3)]).toEqual([
      { name: 'SCR-1', deleted: 1 },
      { name: 'SCR-2B', deleted: 0 },
      undefined,
    ])
    await query(`insert into tenants (id, name, tenant_no) values (77, '甲公司', 'T77')`)
    await query(`update tenants set name = '乙公司' where id = 77`)
    expect(await nameOf(4, 77)).toEqual({ name: '乙公司', deleted: 0 })
  })
})
