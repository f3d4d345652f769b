import { afterAll, beforeAll, expect, test } from 'vitest'
import { useDatabase } from '#test/fixtures/video-fixture.ts'
import { VIDEO_INVARIANT_QUERY } from '../invariants.ts'
import { computeSegmentDays, type Segment } from './segment.ts'
import { SegmentWriter } from './segment-writer.ts'
import { mergeVideoSums } from '../clock.ts'

const ZONE = 'Asia/Shanghai'
const START = Date.parse('2026-11-20T00:00:00Z')
const database = useDatabase()
let writer: SegmentWriter

const segment = (over: Partial<Segment> = {}): Segment => {
  const startMs = over.startMs ?? START
  const terms = { recordType: 1, entitlementId: 1, modelId: 1, tenantId: 1, ownerId: 0, eventNo: 0, eventType: 0 }
  const place = { deviceId: 1, channel: 0, startMs, durationMs: 4000, bytes: 1000, session: 1, seq: 1 }
  return { ...terms, ...place, initBytes: 0, salt: 7, format: 1, ...computeSegmentDays(startMs, 7, ZONE), ...over }
}
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows
const breaches = async () => (await query(VIDEO_INVARIANT_QUERY)).map(({ what }) => what)

beforeAll(async () => {
  await query(`insert into devices (sn, tenant_id, model_id) select 'CAM' || n, 1, 1 from generate_series(1, 5) n`)
  await query(`update devices set app_account_id = 9 where id = 2`)
  await query(`update devices set owner_time = null`)
  writer = new SegmentWriter(database.pool)
})
afterAll(() => writer.close())

test('a segment with the same start is stored once, and the result tells whether it is the same recording', async () => {
  const outcomes = Promise.all([
    writer.add(segment()),
    writer.add(segment()),
    writer.add(segment({ salt: 8 })),
    writer.add(segment({ salt: 9, bytes: 1001 })),
  ])
  expect(await outcomes).toEqual(['stored', 'stored', 'same', 'other'])
  expect(await Promise.all([writer.add(segment()), writer.add(segment({ salt: 10 }))])).toEqual(['stored', 'same'])
  expect(await query('select segments, bytes::int from oss_device_days where device_id = 1')).toEqual([
    { segments: 1, bytes: 1000 },
  ])
})

test('a segment of a former App account or tenant of the device is not stored', async () => {
  const wrong = [{ deviceId: 2 }, { deviceId: 2, ownerId: 8 }, { tenantId: 7 }, { deviceId: 99 }]
  expect(await Promise.all(wrong.map((over) => writer.add(segment(over))))).toEqual(['gone', 'gone', 'gone', 'gone'])
  expect(await writer.add(segment({ deviceId: 2, ownerId: 9 }))).toBe('stored')
  await query(`update devices set app_account_id = 8 where id = 2`)
  expect(await writer.add(segment({ deviceId: 2, ownerId: 8, startMs: START + 4000 }))).toBe('gone')
  const later = Date.now() + 60_000
  expect(await writer.add(segment({ deviceId: 2, ownerId: 8, startMs: later }))).toBe('stored')
})

test('an event covers the time of its segments and refers to its picture', async () => {
  const event = { deviceId: 3, eventNo: 5, eventType: 2 }
  await Promise.all([
    writer.add(segment({ ...event, startMs: START })),
    writer.add(segment({ ...event, startMs: START, format: 3, durationMs: 0 })),
  ])
  await writer.add(segment({ ...event, startMs: START + 4000 }))
  const rows = await query('select start_ms, end_ms, picture_ms from oss_events where device_id = 3')
  expect(rows).toEqual([{ start_ms: START, end_ms: START + 8000, picture_ms: START }])
  expect(await query('select segments, events from oss_device_days where device_id = 3')).toEqual([
    { segments: 3, events: 1 },
  ])
})

test('STORAGE-05 after 10,000 random operations, sums and device days equal the segment rows', {
  timeout: 120_000,
}, async () => {
  let seed = 11
  const random = (count: number) => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return Math.floor((seed / 4_294_967_296) * count)
  }
  const second = new SegmentWriter(database.pool)
  const waiting: Promise<unknown>[] = []
  for (let count = 0; count < 10_000; count += 1) {
    const startMs = START + random(3) * 86_400_000 + random(800) * 4000
    const recordType = 1 + random(2)
    const storageDays = [3, 7, 30][random(3)]!
    const terms = { recordType, entitlementId: recordType * 100 + storageDays }
    const place = { deviceId: 4 + random(2), channel: random(2), salt: random(3) }
    const event = random(4) === 0 ? { eventNo: 1 + random(20), eventType: 1 } : {}
    const days = computeSegmentDays(startMs, storageDays, ZONE)
    waiting.push(
      [writer, second][random(2)]!.add(
        segment({ startMs, bytes: 1 + random(3), ...terms, ...place, ...event, ...days }),
      ),
    )
    if (random(500) > 0) continue
    await Promise.all(waiting)
    if (random(2) === 0) await query('delete from oss_segments where device_id = $1 and start_ms < $2', [4, startMs])
    else await mergeVideoSums(database.db)
  }
  await Promise.all(waiting)
  await second.close()
  expect(await breaches()).toEqual([])
  expect((await query('select count(*)::int as n from oss_segments'))[0].n).toBeGreaterThan(3000)
})

/** Two recordings of a channel on one day, under two packages with different terms. */
const twoPackages = (channel: number, startMs: number) => {
  const later = startMs + 4000
  const event = { recordType: 2, entitlementId: 21, bytes: 700, ...computeSegmentDays(startMs, 3, ZONE) }
  const full = { recordType: 1, entitlementId: 22, bytes: 300, ...computeSegmentDays(later, 30, ZONE) }
  return [segment({ channel, startMs, ...event }), segment({ channel, startMs: later, ...full })]
}
const packagesOf = (channel: number) =>
  query(
    `select entitlement_id as id, record_type as type, segments, bytes::int, removed_bytes::int as removed,
       cardinality(expire_days) as days from oss_device_days where channel = $1 order by 1`,
    [channel],
  )

test('STORAGE-05 a day with two packages has separate sums per package, also after the videos of one are deleted', async () => {
  await Promise.all(twoPackages(7, START).map((each) => writer.add(each)))
  const [first, second] = [
    { id: 21, type: 2, segments: 1, bytes: 700, removed: 0, days: 1 },
    { id: 22, type: 1, segments: 1, bytes: 300, removed: 0, days: 1 },
  ]
  expect(await packagesOf(7)).toEqual([first, second])
  await query('delete from oss_segments where channel = 7 and entitlement_id = 21')
  expect(await packagesOf(7)).toEqual([{ ...first, removed: 700 }, second])
  expect(await breaches()).toEqual([])
  await query('update oss_device_days set bytes = bytes + 1 where channel = 7 and entitlement_id = 22')
  expect(await breaches()).toContain('videos of entitlement 22 on 2026-11-20')
  await query('update oss_device_days set bytes = bytes - 1 where channel = 7 and entitlement_id = 22')
})

test('the role of a tenant cannot query a partition, and sees only its own rows in the parent table', async () => {
  const client = await database.pool.connect()
  try {
    await client.query(`begin; set local role oms_tenant; set local oms.tenant = '7'`)
    expect((await client.query('select count(*)::int as n from oss_segments')).rows).toEqual([{ n: 0 }])
    const day = computeSegmentDays(START, 7, ZONE).expireDay.replaceAll('-', '')
    await expect(client.query(`select 1 from oss_segments_${day}`)).rejects.toThrow('permission denied')
  } finally {
    await client.query('rollback')
    client.release()
  }
})
