import { iterateAgenda } from '@oms/contract/advertise/engine/agenda.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { addDays, parseLocalTime, formatLocalDay, isoWeekday } from '#core/time/zone.ts'
import {
  loadAdsOfPrograms,
  type ProgramInForce,
  buildManifest,
  loadProgramsInForce,
} from '#modules/advertise/manifests/manifest.ts'
import { buildReachCondition } from '#modules/advertise/screens/screen-sets.ts'

const DAYS = 30
/** Opening and closing hour of the shops. Their screens are switched on between these hours. */
const OPENS = 8
const CLOSES = 22

/** Plays of one screen of a set in one hour. */
interface Planned {
  readonly set: string
  readonly day: string
  readonly hour: number
  readonly program: number
  readonly ad: number
  n: number
  ms: number
  /** Start of the first play and end of the last play, in milliseconds since the start of the day. */
  readonly begins: number
  ends: number
}

/**
 * Creates 30 days of plays that the engine plans for each set of screens. Two percent are partial, and screens that
 * send no reports have no plays of today. Without screens and published programs there are no plays.
 */
export async function seedDemoAdPlays(services: Services, db: Db) {
  const now = services.now()
  const zone = services.config.timeZone
  const programs = await loadProgramsInForce(db, now)
  if (programs.length === 0) return
  await nameSets(db, programs)
  const { rows: sets } = await db.execute<{ key: string; ids: number[] }>(
    sql`select distinct array_to_string(ids, ',') as key, ids from demo_screens where ids <> '{}'`,
  )
  const today = formatLocalDay(now, zone)
  const ads = await loadAdsOfPrograms(
    db,
    programs.map(({ body }) => body),
  )
  const planned = sets.flatMap(({ key, ids }) => {
    const bodies = programs.flatMap(({ id, body }) => (ids.includes(id) ? [body] : []))
    return plan(key, buildManifest(zone, bodies, ads), { today, zone, now: now.getTime() })
  })
  await store(db, planned, { today, zone })
}

/** Lists the screens with their programs in a temporary table. */
async function nameSets(db: Db, programs: readonly ProgramInForce[]) {
  const members = []
  for (const program of programs)
    members.push(sql`case when ${await buildReachCondition(db, program)} then ${program.id}::int end`)
  await db.execute(sql`
    create temp table demo_screens on commit drop as
    select devices.id, devices.tenant_id, devices.model_id, s.audience_factor, s.last_report_time < now() - interval '1 hour' as silent,
      s.failed <> '[]' as failing, array_remove(array[${sql.join(members, sql`, `)}], null) as ids
    from devices join ad_screens s on s.device_id = devices.id where devices.deleted_at is null`)
}

interface Times {
  readonly today: string
  readonly zone: string
  readonly now: number
}

/** Plans the past days. Days of one weekday with the same programs have the same plays. */
function plan(set: string, manifest: ReturnType<typeof buildManifest>, { today, zone, now }: Times): Planned[] {
  const known = new Map<string, readonly Omit<Planned, 'day'>[]>()
  return Array.from({ length: DAYS }, (_, back) => addDays(today, -back)).flatMap((day) => {
    const begun = manifest.programs.filter(({ dateFrom }) => dateFrom <= day).map(({ id }) => id)
    const key = `${isoWeekday(day)}:${begun.join()}`
    const hours = known.get(key) ?? planDay(set, manifest, day, zone)
    known.set(key, hours)
    const until = day === today ? Math.floor((now - parseLocalTime(`${day} 00:00:00`, zone)) / 3_600_000) : 24
    return hours.filter(({ hour }) => hour < until).map((row) => ({ ...row, day }))
  })
}

function planDay(set: string, manifest: ReturnType<typeof buildManifest>, day: string, zone: string) {
  const start = parseLocalTime(`${day} 00:00:00`, zone)
  const sums = new Map<string, Omit<Planned, 'day'>>()
  for (const slot of iterateAgenda(manifest, start + OPENS * 3_600_000, start + CLOSES * 3_600_000)) {
    if (slot.hold) continue
    const hour = Math.floor((slot.start - start) / 3_600_000)
    const key = `${hour}:${slot.programId}:${slot.adId}`
    const begins = slot.start - start
    const row = sums.get(key) ?? { set, hour, program: slot.programId, ad: slot.adId, n: 0, ms: 0, begins, ends: 0 }
    sums.set(key, { ...row, n: row.n + 1, ms: row.ms + slot.ms, ends: begins + slot.ms })
  }
  return [...sums.values()]
}

/** Stores plays summed by hour and by day, and their reports. */
async function store(db: Db, planned: readonly Planned[], { today, zone }: Pick<Times, 'today' | 'zone'>) {
  // An ad has partial plays on every fourth day. Screens of one set, tenant and model differ only in their failures.
  await db.execute(sql`
    create temp table demo_hours on commit drop as
    select *, case when (ad + extract(day from day)::int) % 4 = 0 then round(n * 0.08)::int else 0 end as partial, (ad % 5 = 0)::int as failures
    from json_to_recordset(${JSON.stringify(planned)}) as p ("set" text, day date, hour int, program int, ad int, n int, ms bigint,
      begins bigint, ends bigint)`)
  await db.execute(sql`
    create temp table demo_screen_days on commit drop as
    select d.*, array_to_string(ids, ',') as "set", p.day from demo_screens d join (select distinct "set", day from demo_hours) p
      on p.set = array_to_string(ids, ',')
    where not (d.silent and p.day = ${today}::date) and (d.id * 7 + extract(day from p.day)::int) % 29 > 0`)
  await db.execute(sql`
    insert into ad_play_hours (hour, tenant_id, program_id, ad_id, model_id, plays, complete, partial, failed, ms, untrusted)
    select extract(epoch from (day + make_interval(hours => hour)) at time zone ${zone}) * 1000, tenant_id, program, ad, model_id,
      sum(n * screens), sum((n - partial) * screens), sum(partial * screens), sum(failures * failing), sum(ms * screens), 0
    from demo_hours join (
      select "set", day, tenant_id, model_id, count(*)::int as screens, count(*) filter (where failing)::int as failing
      from demo_screen_days group by 1, 2, 3, 4
    ) s using ("set", day) group by 1, 2, 3, 4, 5`)
  await db.execute(sql`
    create temp table demo_play_days on commit drop as
    select day, d.id as device_id, program, ad, tenant_id, model_id, audience_factor, n, partial,
      case when failing then failures else 0 end as failed, ms, start + begins as first, start + ends as last
    from demo_screen_days d join (
      select "set", day, program, ad, sum(n)::int as n, sum(partial)::int as partial, sum(failures)::int as failures, sum(ms)::int as ms,
        extract(epoch from day::timestamp at time zone ${zone}) * 1000 as start, min(begins) as begins, max(ends) as ends
      from demo_hours group by 1, 2, 3, 4
    ) p using ("set", day)`)
  await db.execute(sql`
    insert into ad_play_days (day, device_id, program_id, ad_id, tenant_id, plays, complete, partial, failed, ms, untrusted,
      exposure, first_start, last_end)
    select day, device_id, program, ad, tenant_id, n, n - partial, partial, failed, ms, 0, n * audience_factor * 100, first, last
    from demo_play_days`)
  // Each sum is stored as one report per result, because players that were offline also report summed plays.
  await db.execute(sql`
    select oms_ensure_play_days(array(select distinct (to_timestamp(first / 1000) at time zone 'UTC')::date from demo_play_days))`)
  await db.execute(sql`
    insert into ad_plays (play_day, device_id, report_id, start_ms, ms, planned, tenant_id, model_id, program_id, program_ver,
      item_id, ad_id, ad_ver, result, clock, count)
    select (to_timestamp(first / 1000) at time zone 'UTC')::date, device_id, gen_random_uuid(), first,
      case r.result when 3 then 0 when 2 then 0 else ms end, case r.result when 1 then ms else 0 end, tenant_id, model_id, program, 1, 1, ad, 1,
      r.result, 1, r.n
    from demo_play_days, lateral (values (1, demo_play_days.n - partial), (2, partial), (3, failed)) r (result, n) where r.n > 0`)
}
