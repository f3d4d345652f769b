import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { LocalMedia } from '#core/media/local-media.ts'
import { useDatabase } from '#test/fixtures/video-fixture.ts'
import { VIDEO_INVARIANT_QUERY } from '../invariants.ts'
import { addExpiryPurges, runPurges, removeExpiredDays } from './retention.ts'
import { computeSegmentDays, formatObjectKey, type Segment } from './segment.ts'
import { SegmentWriter } from './segment-writer.ts'
import { checkObjects } from '../verify.ts'

const log = pino({ level: 'silent' })
const ZONE = 'Asia/Shanghai'
const DAY_MS = 86_400_000
const START = Date.parse('2026-11-20T04:00:00Z')
const folder = mkdtempSync(join(tmpdir(), 'oms-retention-'))
const media = new LocalMedia(folder, 0)
const database = useDatabase()
let writer: SegmentWriter
let salt = 0

beforeAll(async () => {
  writer = new SegmentWriter(database.pool)
})
beforeEach(async () => {
  await query(
    'truncate devices, oss_segments, oss_events, oss_device_days, oss_stored, oss_usage_days, oss_days, oss_purges, oss_queues',
  )
  await query(
    `insert into devices (id, sn, tenant_id, model_id) select n, 'CAM' || n, 1, 1 from generate_series(1, 5) n`,
  )
  rmSync(join(folder, 'v'), { recursive: true, force: true })
  writer = new SegmentWriter(database.pool)
})
afterAll(async () => {
  await writer.close()
  rmSync(folder, { recursive: true, force: true })
})

const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows
const breaches = async () => (await query(VIDEO_INVARIANT_QUERY)).map(({ what }) => what)
const segment = (over: Partial<Segment> & { storageDays?: number } = {}): Segment => {
  const { storageDays = 7, ...rest } = over
  const startMs = rest.startMs ?? START
  salt += 1
  const terms = { recordType: 1, entitlementId: 1, modelId: 1, tenantId: 1, ownerId: 0, eventNo: 0, eventType: 0 }
  const place = { deviceId: 1, channel: 0, startMs, durationMs: 4000, bytes: 4, session: 1, seq: 1, initBytes: 0 }
  return { ...terms, ...place, salt, format: 1, ...computeSegmentDays(startMs, storageDays, ZONE), ...rest }
}
/** Stores the object and the row. */
async function store(...segments: Segment[]) {
  for (const each of segments)
    await media.put(formatObjectKey(each), [Buffer.from('GGGG')] as unknown as AsyncIterable<Uint8Array>, {
      bytes: 4,
      accepts: () => true,
    })
  expect(new Set(await Promise.all(segments.map((each) => writer.add(each))))).toEqual(new Set(['stored']))
}
const objects = async () => {
  const keys: string[] = []
  for await (const { key } of media.list('v/')) keys.push(key)
  return keys.toSorted()
}
const rows = async () =>
  (await query('select device_id, channel, start_ms::float8 from oss_segments order by 1, 2, 3')).length

/** Returns the milliseconds of the slowest of the reads until `isOver`. */
async function longestRead(isOver: () => boolean) {
  let longest = 0
  while (!isOver()) {
    const from = performance.now()
    await query('select 1 from oss_segments limit 1')
    longest = Math.max(longest, performance.now() - from)
    await new Promise((done) => setTimeout(done, 10))
  }
  return longest
}

/** Runs a job, interrupts it at every step in turn, and runs it again until it ends. */
async function interrupted(work: (onStep: (step: string) => void) => Promise<{ readonly failedItems: number }>) {
  const steps = new Set<string>()
  for (let failAt = 1; ; failAt += 1) {
    let count = 0
    const outcome = await work((step) => {
      steps.add(step)
      count += 1
      if (count === failAt) throw new Error('interrupted')
    }).then(
      ({ failedItems }) => (failedItems > 0 ? 'interrupted' : 'done'),
      (error: Error) => error.message,
    )
    expect(['done', 'interrupted']).toContain(outcome)
    if (outcome === 'done') return steps
  }
}

describe('STORAGE-06 retention', () => {
  test('on each day exactly the videos of retained days exist, with four different storage times', {
    timeout: 120_000,
  }, async () => {
    const all = [0, 1, 2].flatMap((day) =>
      [3, 7, 15, 30].flatMap((storageDays) =>
        [1, 2, 3].map((deviceId) =>
          segment({ startMs: START + day * DAY_MS + storageDays * 5000, deviceId, storageDays }),
        ),
      ),
    )
    await store(...all)
    for (const today of [
      '2026-11-23',
      '2026-11-24',
      '2026-11-26',
      '2026-11-28',
      '2026-12-07',
      '2026-12-22',
      '2027-01-01',
    ]) {
      await removeExpiredDays({ pool: database.pool, media, log }, today)
      const retained = all.filter(({ expireDay }) => expireDay > today)
      expect(await objects()).toEqual(retained.map(formatObjectKey).toSorted())
      expect(await rows()).toBe(retained.length)
      expect(await breaches()).toEqual([])
    }
  })

  test('the next run completes a run that was interrupted at any step, and no retained day is deleted', {
    timeout: 120_000,
  }, async () => {
    const past = [1, 2, 3, 4, 5].map((deviceId) => segment({ deviceId, eventNo: 1, eventType: 1 }))
    const retained = [segment({ storageDays: 30 }), segment({ startMs: START + 5 * DAY_MS })]
    await store(...past, ...retained)
    const steps = await interrupted((onStep) =>
      removeExpiredDays({ pool: database.pool, media, log, onStep }, '2026-11-28'),
    )
    expect([...steps]).toEqual(
      expect.arrayContaining(['objects', 'detached oss_segments', 'detached oss_events', 'sums', 'dropped']),
    )
    expect(await objects()).toEqual(retained.map(formatObjectKey).toSorted())
    expect(await rows()).toBe(2)
    expect(await query(`select state from oss_days where expire_day = '2026-11-28'`)).toEqual([{ state: 3 }])
    expect(await query(`select to_regclass('oss_segments_20261128') as name`)).toEqual([{ name: null }])
    expect(await breaches()).toEqual([])
  })

  test('after a restore no retained video is deleted, and every video is deleted on its expiry date', async () => {
    const before = segment()
    const later = [segment({ startMs: START + DAY_MS }), segment({ startMs: START + DAY_MS, storageDays: 30 })]
    await store(before, ...later)
    // The backup knows neither rows nor days of the later uploads.
    for (const { expireDay } of later) {
      await query(`delete from oss_segments where expire_day = $1`, [expireDay])
      await query(`delete from oss_stored where expire_day = $1`, [expireDay])
      await query(`delete from oss_days where expire_day = $1`, [expireDay])
    }
    await removeExpiredDays({ pool: database.pool, media, log }, '2026-11-23')
    expect(await objects()).toEqual([before, ...later].map(formatObjectKey).toSorted())

    await removeExpiredDays({ pool: database.pool, media, log }, '2026-11-28')
    expect(await objects()).toEqual(later.map(formatObjectKey).toSorted())
    await removeExpiredDays({ pool: database.pool, media, log }, '2026-12-22')
    expect(await objects()).toEqual([])
  })

  test('the integrity check finds missing and changed objects, and objects of deleted days', async () => {
    const [one, two, kept] = [segment(), segment({ startMs: START + 4000 }), segment({ storageDays: 30 })]
    await store(one, two, kept)
    const check = () => checkObjects(database.pool, media)
    expect(await check()).toEqual([])
    await media.remove([formatObjectKey(one)])
    await query('update oss_segments set bytes = 5 where start_ms = $1', [two.startMs])
    expect(await check()).toEqual([
      `录像文件 ${formatObjectKey(one)} 没有内容`,
      `录像文件 ${formatObjectKey(two)} 大小是 4，应为 5`,
    ])
    await query(`update oss_days set state = 3 where expire_day = '2026-11-28'`)
    expect(await check()).toEqual([`已删除日期仍有录像文件 ${formatObjectKey(two)}`])
  })

  test('a transaction that reads a partition delays its drop to the next run, but delays no other reader', async () => {
    await store(segment())
    const reader = await database.pool.connect()
    await reader.query('begin; select 1 from oss_segments')
    let isOver = false
    const sweep = removeExpiredDays({ pool: database.pool, media, log }, '2026-11-28').finally(() => (isOver = true))
    await Promise.all([
      expect(sweep).resolves.toEqual({ swept: [], failedItems: 1 }),
      expect(longestRead(() => isOver)).resolves.toBeLessThan(1500),
    ])
    await reader.query('rollback')
    reader.release()
    expect(await removeExpiredDays({ pool: database.pool, media, log }, '2026-11-28')).toEqual({
      swept: ['2026-11-28'],
      failedItems: 0,
    })
    expect(await breaches()).toEqual([])
  })
})

describe('STORAGE-07 early deletion', () => {
  const age = () => query(`update oss_purges set create_time = create_time - interval '2 minutes'`)
  beforeEach(() =>
    query(
      `insert into oss_queues (device_id, channel, tenant_id, end_time) select id, 0, 1, '2026-12-20' from devices`,
    ),
  )

  test.each([
    ['unbinding', `update devices set app_account_id = null where id = 1`, 3],
    ['binding to another account', `update devices set app_account_id = 6 where id = 1`, 3],
    ['a change of tenant', `update devices set tenant_id = 7, app_account_id = null where id = 1`, 4],
    ['deletion of the device', `update devices set deleted_at = now() where id = 1`, 5],
  ])(
    'after %s no video of the former owner remains, also when every step is interrupted',
    async (_name, change, reason) => {
      await query('update devices set app_account_id = 5 where id = 1')
      await query('update devices set owner_time = null')
      await query('truncate oss_purges')
      const mine = [0, 1, 2].map((n) => segment({ ownerId: 5, startMs: START + n * 4000, eventNo: 1, eventType: 1 }))
      const old = segment({ ownerId: 5, startMs: START - DAY_MS, storageDays: 30, channel: 1 })
      const others = segment({ deviceId: 2 })
      await store(...mine, old, others)
      await query(change)
      expect(await query('select device_id, reason, owner_id, tenant_id, state from oss_purges')).toEqual([
        { device_id: 1, reason, owner_id: 0, tenant_id: 1, state: 0 },
      ])
      await age()
      await interrupted((onStep) => runPurges({ pool: database.pool, media, log, onStep }))
      expect(await objects()).toEqual([formatObjectKey(others)])
      expect(await rows()).toBe(1)
      expect(await query('select 1 from oss_events')).toEqual([])
      const calendar = await query(
        'select sum(segments)::int as n, max(cardinality(expire_days)) as days from oss_device_days where device_id = 1',
      )
      expect(calendar).toEqual([{ n: 4, days: 0 }])
      expect(await query('select state, segments, bytes::int from oss_purges')).toEqual([
        { state: 1, segments: 4, bytes: 16 },
      ])
      expect(await breaches()).toEqual([])
    },
  )

  test('videos recorded after a change of owner are kept for the new owner', async () => {
    await query('update devices set app_account_id = 5 where id = 1')
    await query(`update devices set owner_time = null`)
    await store(segment({ ownerId: 5 }))
    await query('update devices set app_account_id = 6 where id = 1')
    const [{ at }] = await query(`select extract(epoch from owner_time) * 1000 + 1000 as at from devices where id = 1`)
    const later = segment({ ownerId: 6, startMs: Math.ceil(Number(at)), storageDays: 30 })
    await store(later)
    await age()
    await runPurges({ pool: database.pool, media, log })
    expect(await objects()).toEqual([formatObjectKey(later)])
    expect(await query('select owner_id from oss_segments')).toEqual([{ owner_id: 6 }])
  })

  test('a purge is repeated for one minute, to delete uploads that were in progress', async () => {
    await store(segment())
    await query('update devices set tenant_id = 7 where id = 1')
    await runPurges({ pool: database.pool, media, log })
    expect([await rows(), await query('select state from oss_purges')]).toEqual([0, [{ state: 0 }]])
    await age()
    await runPurges({ pool: database.pool, media, log })
    expect(await query('select state from oss_purges')).toEqual([{ state: 1 }])
  })

  test('a purge whose objects cannot be deleted does not stop later purges', async () => {
    const [one, two] = [segment(), segment({ deviceId: 2 })]
    await store(one, two)
    await query('update devices set tenant_id = 7 where id = 1')
    await query('update devices set tenant_id = 7 where id = 2')
    await age()
    const refuse = (keys: readonly string[]) =>
      keys.includes(formatObjectKey(one)) ? Promise.reject(new Error('AccessDenied')) : media.remove(keys)
    const locked = new Proxy(media, { get: (target, key) => (key === 'remove' ? refuse : Reflect.get(target, key)) })
    expect(await runPurges({ pool: database.pool, media: locked, log })).toEqual({ purges: 1, failedItems: 1 })
    expect(await objects()).toEqual([formatObjectKey(one)])
    expect(await runPurges({ pool: database.pool, media, log })).toEqual({ purges: 1, failedItems: 0 })
    expect(await objects()).toEqual([])
  })

  test('videos are deleted some days after the last package ended, and kept after a renewal', async () => {
    const [one, two] = [segment({ storageDays: 90 }), segment({ deviceId: 2, storageDays: 90 })]
    await store(one, two)
    const at = (day: string) => Date.parse(`${day}T00:00:00Z`)
    await addExpiryPurges(database.pool, at('2026-12-26'), 7)
    expect(await query('select 1 from oss_purges')).toEqual([])
    await query(`update oss_queues set end_time = '2027-01-20' where device_id = 2`)
    await addExpiryPurges(database.pool, at('2026-12-28'), 7)
    await addExpiryPurges(database.pool, at('2026-12-29'), 7)
    expect(await query('select device_id, channel, reason from oss_purges')).toEqual([
      { device_id: 1, channel: 0, reason: 1 },
    ])
    await runPurges({ pool: database.pool, media, log })
    expect(await objects()).toEqual([formatObjectKey(two)])
    expect(await breaches()).toEqual([])
  })
})
