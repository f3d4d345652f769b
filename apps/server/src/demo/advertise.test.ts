import type { ManifestAd, ManifestProgram } from '@oms/contract/advertise/engine/manifest.ts'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { addDays, formatLocalDay } from '#core/time/zone.ts'
import { AD_PLAY_INVARIANT_QUERY } from '#modules/advertise/invariants.ts'
import { useApp } from '#test/harness.ts'
import { seedDemoAdPlays } from './advertise.ts'

const SCREENS = 300
const app = useApp()
const today = formatLocalDay(new Date(), 'Asia/Shanghai')

async function addProgram(id: number, over: Partial<ManifestProgram>) {
  const item = {
    id: 1,
    adId: id,
    ms: 15_000,
    weight: 1,
    maxPlaysPerHour: 0,
    from: null,
    to: null,
    transition: 0,
  } as const
  const dates = { dateFrom: addDays(today, -20), dateTo: addDays(today, 20) }
  const rules = {
    playMode: 1,
    priority: 0,
    insertMode: 0,
    share: null,
    weekdays: 127,
    dayParts: [],
    fallback: 0,
  } as const
  const body: ManifestProgram = {
    id,
    verNo: 1,
    name: `节目单${id}`,
    publishedAt: 1,
    ...rules,
    dayParts: [],
    ...dates,
    items: [item],
    ...over,
  }
  const ad: ManifestAd = {
    id,
    verNo: 1,
    name: `广告${id}`,
    type: 4,
    validFrom: null,
    validTo: null,
    approvalUntil: null,
    linkUrl: null,
    text: {
      content: '演示',
      fontSize: 60,
      color: '#000000',
      background: '#ffffff',
      align: 'center',
      scroll: false,
      speed: 1,
    },
    files: [],
  }
  const { dateFrom, dateTo } = body
  await app.db.execute(sql`insert into ads (id, tenant_id, ad_name, ad_type, audit_status, ver_no, approved_ver)
    values (${id}, 1, ${ad.name}, 4, 2, 1, 1)`)
  await app.db.execute(sql`insert into ad_versions (ad_id, ver_no, tenant_id, body, content_hash, submit_by, audit_status)
    values (${id}, 1, 1, ${JSON.stringify(ad)}::jsonb, 'h', 1, 2)`)
  await app.db.execute(sql`insert into ad_programs (id, tenant_id, program_name, date_from, date_to, status, ver_no, published_ver,
    target_type, target_ids) values (${id}, 1, ${body.name}, ${dateFrom}, ${dateTo}, 2, 1, 1, 4, '{1}')`)
  await app.db.execute(sql`insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids, state,
    screens, publish_by) values (${id}, 1, 1, ${JSON.stringify(body)}::jsonb, 4, '{1}', 2, ${SCREENS}, 1)`)
}

test('AD-11 the sums of the demo plays agree with the plays, and the demo has partial plays and screens without reports', async () => {
  const { services, db } = app
  await db.execute(
    sql`insert into devices (sn, tenant_id, model_id) select 'DEMO' || n, 1, 1 from generate_series(1, ${SCREENS}) n`,
  )
  await db.execute(sql`insert into ad_screens (device_id, tenant_id, player_kind, player_token_hash, last_report_time)
    select id, tenant_id, 1, sn, now() - case when id % 25 = 3 then interval '9 hours' else interval '1 second' end from devices`)
  await addProgram(1, {})
  await addProgram(2, { priority: 5, dayParts: [{ start: '08:00', end: '10:00' }] })
  await addProgram(3, { priority: 5, share: 20 })
  await addProgram(4, { priority: 6, dayParts: [{ start: '12:00', end: '12:05' }] })
  const started = performance.now()
  await db.transaction((tx) => seedDemoAdPlays({ services, db: tx }))
  expect(performance.now() - started).toBeLessThan(60_000)
  const { rows } = await db.execute<Record<string, number>>(sql`
    select count(distinct day)::int as days, count(distinct device_id)::int as screens, count(distinct program_id)::int as programs,
      round(100.0 * sum(partial) / sum(plays))::int as partial,
      count(distinct device_id) filter (where day = ${today}::date and device_id % 25 = 3)::int as silent from ad_play_days`)
  expect(rows[0]).toMatchObject({ screens: SCREENS, programs: 4, partial: 2, silent: 0 })
  expect(rows[0]!['days']).toBeGreaterThanOrEqual(20)
  const { rows: broken } = await services.database.pool.query(AD_PLAY_INVARIANT_QUERY, [
    services.config.timeZone,
    '2000-01-01',
  ])
  expect(broken).toEqual([])
  const { rows: ends } = await db.execute<Record<string, string>>(sql`
    select to_char(to_timestamp(min(first_start) / 1000) at time zone 'Asia/Shanghai', 'HH24:MI:SS') as first,
      to_char(to_timestamp(max(last_end) / 1000) at time zone 'Asia/Shanghai', 'HH24:MI:SS') as last
    from ad_play_days where program_id = 4 and day < ${today}::date`)
  expect(ends).toEqual([{ first: '12:00:00', last: '12:05:00' }])
})
