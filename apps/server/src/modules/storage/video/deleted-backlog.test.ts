import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { LocalMedia } from '#core/media/local-media.ts'
import { useDatabase } from '#test/fixtures/video-fixture.ts'
import { VIDEO_INVARIANT_QUERY } from '../invariants.ts'
import { addExpiryPurges, runPurges } from './retention.ts'
import { computeSegmentDays, type Segment } from './segment.ts'
import { SegmentWriter } from './segment-writer.ts'

const DAY_MS = 86_400_000
const START = Date.parse('2026-11-20T04:00:00Z')
const media = new LocalMedia(mkdtempSync(join(inject('scratch'), 'media-')), 0)
const database = useDatabase()
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows
let writer: SegmentWriter
let salt = 0

beforeEach(async () => {
  await query('truncate devices, oss_segments, oss_events, oss_device_days, oss_stored, oss_purges, oss_queues')
  await query(`insert into devices (id, sn, tenant_id, model_id, app_account_id) values (1, 'CAM1', 1, 1, 5)`)
  await query(`insert into oss_queues (device_id, channel, tenant_id, end_time) values (1, 0, 1, '2026-12-20')`)
  writer ??= new SegmentWriter(database.pool)
})
afterAll(() => writer.close())

const segment = (startMs: number, over: Partial<Segment> = {}): Segment => {
  salt += 1
  const terms = { recordType: 1, entitlementId: 1, modelId: 1, tenantId: 1, ownerId: 5, eventNo: 0, eventType: 0 }
  const place = { deviceId: 1, channel: 0, startMs, durationMs: 4000, bytes: 4, session: 1, seq: 1, initBytes: 0 }
  return { ...terms, ...place, salt, format: 1, ...computeSegmentDays(startMs, 90, 'Asia/Shanghai'), ...over }
}
const add = (...segments: Segment[]) => Promise.all(segments.map((each) => writer.add(each)))
const breaches = () => query(VIDEO_INVARIANT_QUERY)

describe('STORAGE-07 late uploads of a camera that was offline', () => {
  test('a late upload from a time range that the user deleted is accepted but not stored', async () => {
    expect(await add(segment(START))).toEqual(['stored'])
    await query(
      `insert into oss_purges (tenant_id, owner_id, device_id, channel, reason, from_ms, until_ms, create_time)
       values (1, 5, 1, 0, 2, $1, $2, now() - interval '2 minutes')`,
      [START - 60_000, START + 60_000],
    )
    await runPurges({ pool: database.pool, media, log: pino({ level: 'silent' }) })
    expect(await query('select state from oss_purges')).toEqual([{ state: 1 }])
    // The usage of the day keeps the upload; the videos of the day do not.
    const sums = 'segments, duration_ms, bytes::int, removed_segments, removed_ms::int, removed_bytes::int'
    expect(await query(`select ${sums} from oss_device_days`)).toEqual([
      { segments: 1, duration_ms: 4000, bytes: 4, removed_segments: 1, removed_ms: 4000, removed_bytes: 4 },
    ])
    const covered = segment(START + 4000, { eventNo: 1, eventType: 1 })
    const others = [segment(START + 60_000), segment(START + 4000, { channel: 1 })]
    expect(await add(covered, ...others)).toEqual(['deleted', 'stored', 'stored'])
    expect(await query('select 1 from oss_events')).toEqual([])
    expect(await breaches()).toEqual([])
  })

  test('a late upload from before the end of a package whose videos were deleted is accepted but not stored', async () => {
    const end = Date.parse('2026-12-20T00:00:00Z')
    await query(`update oss_queues set end_time = to_timestamp($1::float8 / 1000)`, [end])
    const [before, later, after] = [end - 2 * DAY_MS, end - DAY_MS, end + 3 * DAY_MS].map((at) => segment(at))
    expect(await add(before!)).toEqual(['stored'])
    await addExpiryPurges(database.pool, end + 2 * DAY_MS, 1)
    expect(await add(later!, after!)).toEqual(['deleted', 'stored'])
    expect(await breaches()).toEqual([])
  })
})
