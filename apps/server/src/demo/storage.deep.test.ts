import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { STORAGE_INVARIANT_QUERY } from '#modules/storage/invariants.ts'
import { formatObjectKey, type SegmentKey } from '#modules/storage/video/segment.ts'
import { useDemoApp } from '#test/demo-app.ts'

const server = useDemoApp()

test('the demo has entitlements in every state, and all sums are correct', async () => {
  const { rows } = await server.services.database.pool.query<{ what: string }>(STORAGE_INVARIANT_QUERY, [
    new Date().toISOString(),
  ])
  expect(rows).toEqual([])
  const states = await server.db.execute<{ state: number; n: number }>(
    sql`select state, count(*)::int as n from oss_entitlements group by 1 order by 1`,
  )
  expect(states.rows.map(({ state }) => state)).toEqual([0, 1, 2, 3, 4, 5])
  expect(states.rows.reduce((sum, { n }) => sum + n, 0)).toBeGreaterThan(600)
  const sums = await server.db.execute<{
    statuses: number[]
    refused: number
    refunds: number[]
    cards: number[]
    used: number
  }>(sql`
    select array(select distinct pay_status::int from oss_orders order by 1) as statuses,
      (select count(*)::int from oss_hook_events where result = 2) as refused,
      array(select distinct state::int from oss_refunds order by 1) as refunds,
      array(select distinct state::int from oss_cards order by 1) as cards,
      (select sum(used)::int from oss_allowances) as used`)
  expect(sums.rows[0]).toEqual({ statuses: [0, 1, 2, 3, 4], refused: 2, refunds: [0, 1], cards: [0, 1, 2], used: 12 })

  const batches = await server.db.execute(sql`select state, done, failed, jsonb_array_length(problems) as problems,
    audit_remark <> '' as remark from oss_grant_files order by state`)
  expect(batches.rows).toEqual([
    { state: 0, done: 0, failed: 0, problems: 0, remark: false },
    { state: 2, done: 40, failed: 3, problems: 3, remark: false },
    { state: 3, done: 0, failed: 0, problems: 0, remark: true },
  ])

  const answers = await server.db.execute<{ answer: string }>(
    sql`select distinct answer from oss_device_status where answer <> '' order by 1`,
  )
  expect(answers.rows.map(({ answer }) => answer)).toEqual(
    expect.arrayContaining([
      'clock',
      'day',
      'event',
      'expired',
      'kind',
      'old',
      'recording',
      'space',
      'suspended',
      'switch',
      'waiting',
    ]),
  )

  const recordings = sql`select device_id as "deviceId", channel, expire_day as "expireDay", start_ms::float8 as "startMs", salt, format
    from oss_segments where status = 1`
  const { rows: stored } = await server.db.execute<SegmentKey & Record<string, unknown>>(recordings)
  expect(stored).toHaveLength(6 * 3 * 6)
  for (const row of stored) expect(await server.services.videos.media.peek(formatObjectKey(row), 0)).not.toBeNull()
  const { rows: consents } = await server.db.execute<{ id: number; sn: string; isKept: boolean }>(sql`
    select c.id, c.sn, not exists (select from oss_segments s where s.device_id = c.device_id
      and s.start_ms between extract(epoch from c.range_begin) * 1000 and extract(epoch from c.range_end) * 1000
      and s.expire_day <= c.valid_until::date) as "isKept" from oss_consents c`)
  expect(consents.length).toBeGreaterThan(0)
  const viewer = await server.by({ superAdmin: true })
  for (const { id, sn, isKept } of consents) {
    const { data } = await viewer.call('GET', `/api/v1/oss/consent/times?sn=${sn}&channel=0&consentId=${id}`)
    expect(data.list, `recorded times of the consent of ${sn}`).not.toEqual([])
    expect(isKept, `recordings of the consent of ${sn} are stored until the consent ends`).toBe(true)
  }
  const { rows: views } = await server.db.execute(sql`select reason, segments from oss_views order by id`)
  expect(views).toEqual([
    { reason: '核对夜间画面发白', segments: 6 },
    { reason: '更换补光灯后复查画面', segments: 6 },
  ])
})
