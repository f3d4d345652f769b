import { iterateAgenda } from '@oms/contract/advertise/engine/agenda.ts'
import { findSlotAt } from '@oms/contract/advertise/engine/playing.ts'
import { buildTimeline } from '@oms/contract/advertise/engine/timeline.ts'
import { programs } from '@oms/contract/advertise/program.ts'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import { sql } from 'drizzle-orm'
import { createPlatformUser } from '#core/auth/system-actor.ts'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { addDays, formatLocalDay, isoWeekday, parseLocalTime } from '#core/time/zone.ts'
import {
  buildManifest,
  type ProgramInForce,
  loadAdsOfPrograms,
  loadProgramsInForce,
} from '#modules/advertise/manifests/manifest.ts'
import { reviewProgram, publishProgramVersion } from '#modules/advertise/programs/program-publish.ts'
import { createProgram } from '#modules/advertise/programs/program-save.ts'
import { countTargetScreens } from '#modules/advertise/programs/program-targets.ts'
import { buildReachCondition } from '#modules/advertise/screens/screen-sets.ts'
import { type Demo, runCall } from './call.ts'

const TENANTS = 4
const SCREENS_OF_TENANT = 20

/**
 * Creates 80 screens on activated advertising devices of the four largest tenants: most report now, 12 are silent, 5
 * fail a file. The screens were paired 45 days ago, or when their device was created. The audience factors are 1 to 3.
 */
export async function seedDemoScreens({ db }: Demo) {
  await db.execute(sql`
    with largest as (
      select tenant_id from devices where deleted_at is null and tenant_id > 1
      group by 1 order by count(*) desc, 1 limit ${TENANTS}),
    chosen as (
      select id, tenant_id, create_time, is_portrait, row_number() over (order by tenant_id, id) as n from (
        select d.id, d.tenant_id, d.create_time, m.model_code = 'P21' as is_portrait,
          row_number() over (partition by d.tenant_id order by d.id) as place
        from devices d join device_models m on m.id = d.model_id and m.model_code in ('P21', 'P43')
        where d.deleted_at is null and d.status = 1 and d.activate_time <= now()
          and d.tenant_id in (select tenant_id from largest)) as d
      where place <= ${SCREENS_OF_TENANT})
    insert into ad_screens (device_id, tenant_id, player_kind, player_version, width, height, codecs, ready_files,
      total_files, failed, free_bytes, clock_offset_ms, clock_state, last_report_time, audience_factor, create_time)
    select id, tenant_id, case when n % 10 = 0 then 2 else 1 end, '1.0.0',
      case when is_portrait then 1080 else 1920 end, case when is_portrait then 1920 else 1080 end,
      array['avc1', 'vp9'], 6, 6,
      case when n % 16 = 1 then '[{"sha256": "", "reason": "文件校验失败"}]'::jsonb else '[]'::jsonb end,
      (2 + n % 30)::bigint * 1073741824, (n % 9) * 120, 1,
      now() - case when n % 7 = 3 then interval '9 hours' else (n % 50) * interval '1 second' end, 1 + n % 5 * 0.5,
      greatest(create_time, now() - interval '45 days')
    from chosen on conflict do nothing`)
}

const ALL = 127
const WEEKDAYS = 31
const WEEKEND = 96
const FRIDAY = 16
const DEFAULT = 1
const TAKEOVER = 1
const ONCE = 2
const DAYS_AHEAD = 50
/** Age of the published demo programs in days. */
const DAYS_PUBLISHED = 40
/** Program that was published a moment ago, so that its screens still fetch it. */
const NEWEST = '整点问候'

interface Plan {
  readonly programName: string
  readonly description: string
  /** Advertisers of `ads.ts` with the number of their ads. */
  readonly ads: Readonly<Record<string, number>>
  readonly fields?: object
  /** False: stays a draft. */
  readonly isPublished?: false
}

const PLANS: readonly Plan[] = [
  {
    programName: '默认节目单',
    description: '没有其他节目单时播放',
    ads: { 向阳公益: 3 },
    fields: { isDefault: DEFAULT },
  },
  {
    programName: '早餐时段',
    description: '工作日早餐，优先于全天轮播',
    ads: { 春风茶饮: 2, 老城糕点: 1 },
    fields: { priority: 5, weekdays: WEEKDAYS, dayParts: [{ start: '06:30', end: '10:00' }] },
  },
  {
    programName: '全天轮播',
    description: '各门店日常内容',
    ads: { 青禾超市: 2, 蓝湾地产: 1, 华音乐器: 2, 云上航空: 1 },
    fields: { playMode: 3 },
  },
  {
    programName: '云上航空 20%',
    description: '份额售卖',
    ads: { 云上航空: 2 },
    fields: { shareOfVoice: 20, priority: 5 },
  },
  {
    programName: '青禾超市 10%',
    description: '份额售卖',
    ads: { 青禾超市: 1 },
    fields: { shareOfVoice: 10, priority: 5 },
  },
  {
    programName: '周五夜场',
    description: '周五晚上到周六凌晨',
    ads: { 星河影城: 2 },
    fields: { priority: 6, weekdays: FRIDAY, dayParts: [{ start: '22:00', end: '02:00' }] },
  },
  {
    programName: '周末家庭',
    description: '周末全天',
    ads: { 华音乐器: 2, 星河影城: 1 },
    fields: { priority: 4, weekdays: WEEKEND },
  },
  {
    programName: NEWEST,
    description: '每天 12:00 插播一次',
    ads: { 春风茶饮: 1 },
    fields: { insertMode: ONCE, priority: 7, dayParts: [{ start: '12:00', end: '12:05' }] },
  },
  {
    programName: '双十二预热',
    description: '份额合计超过 100%，发布前须处理冲突',
    ads: { 蓝湾地产: 2 },
    fields: { shareOfVoice: 80, priority: 5, weekdays: ALL },
    isPublished: false,
  },
]

/**
 * Creates programs of the vendor and publishes all but one. The first administrator approves them. All screens except
 * the newest screen show the published programs.
 */
export async function seedDemoPrograms(submitter: Demo) {
  const { services, db, actor } = submitter
  const user = createPlatformUser({ uid: 1, account: 'admin', realname: '系统管理员' })
  const auditor = { ...submitter, actor: { ...actor, user } }
  const offered = await playableAds(db)
  const tenantIds = await tenantsWithScreens(db)
  const today = formatLocalDay(services.now(), services.config.timeZone)
  for (const { programName, description, ads: wanted, fields, isPublished } of PLANS) {
    const input = programs.create.input.parse({
      programName,
      description,
      items: Object.entries(wanted).flatMap(([advertiser, count]) =>
        offered
          .filter((ad) => ad.advertiser === advertiser)
          .slice(0, count)
          .map(({ id: adId }) => ({ adId })),
      ),
      dateFrom: addDays(today, -40),
      dateTo: addDays(today, DAYS_AHEAD),
      targetType: 4,
      targetIds: tenantIds,
      ...fields,
    })
    const { id } = await runCall(submitter, { name: 'create', ...programs.create }, input, createProgram)
    if (isPublished !== false) await publishProgram(id, submitter, auditor)
  }
  await db.execute(sql`update ad_programs set delivered_ver = published_ver
    where published_ver > 0 and program_name <> ${NEWEST}`)
  // The submitter has read the decisions, so the demo account keeps the specified number of unread notices.
  await db.execute(sql`insert into notice_reads (notice_id, uid) select notice_id, ${actor.user.uid}::int from notices
    where title like '节目单已通过审批：%' on conflict do nothing`)
  await backdatePrograms(db)
}

/** Sets the dates of the programs and of the approved ads to a time before the demo plays. */
async function backdatePrograms(db: Db) {
  const earlier = sql.raw(`- interval '${DAYS_PUBLISHED} days'`)
  await db.execute(
    sql`update ad_program_versions set publish_time = publish_time ${earlier}, audit_time = audit_time ${earlier}`,
  )
  await db.execute(sql`update ad_versions set submit_time = submit_time ${earlier}, audit_time = audit_time ${earlier}
    where audit_status = 2`)
  await db.execute(sql`update ad_programs set create_time = create_time ${earlier} where published_ver > 0`)
  await db.execute(sql`update ads set create_time = create_time ${earlier} where approved_ver > 0`)
}

async function publishProgram(id: number, submitter: Demo, auditor: Demo) {
  const { db } = submitter
  const { rows } = await db.execute<{ tenantId: number; targetIds: number[]; insertMode: number; isDefault: number }>(
    sql`select tenant_id as "tenantId", target_ids as "targetIds", insert_mode as "insertMode",
      is_default as "isDefault" from ad_programs where id = ${id}`,
  )
  const program = rows[0]!
  const screens = await countTargetScreens(db, { ...program, targetType: 4 })
  if (screens === 0) return
  const input = programPublish.publish.input.parse({ id, ...(program.insertMode >= TAKEOVER && { screens }) })
  const publish = { name: 'publish', ...programPublish.publish }
  const { isWaiting, verNo } = await runCall(submitter, publish, input, publishProgramVersion)
  if (!isWaiting) return
  const approval = programPublish.audit.input.parse({ id, verNo, auditStatus: 2 })
  await runCall(auditor, { name: 'audit', ...programPublish.audit }, approval, reviewProgram)
}

/** Returns the tenants that have screens, those with the most first. */
async function tenantsWithScreens(db: Db) {
  const { rows } = await db.execute<{ id: number }>(
    sql`select tenant_id as id from ad_screens group by 1 order by count(*) desc, 1`,
  )
  return rows.map(({ id }) => id)
}

/** Returns the approved ads of the vendor that are valid longer than the programs. */
async function playableAds(db: Db): Promise<{ id: number; advertiser: string }[]> {
  const { rows } = await db.execute<{ id: number; advertiser: string }>(sql`select id, advertiser from ads
    where approved_ver > 0 and enable_stat = 1 and deleted_at is null and tenant_id = 1
      and coalesce(valid_to, 'infinity') >= current_date + ${DAYS_AHEAD + 2}::int
      and coalesce(approval_until, 'infinity') >= current_date + ${DAYS_AHEAD + 2}::int order by id`)
  return rows
}

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
export async function seedDemoAdPlays({ services, db }: Pick<Demo, 'services' | 'db'>) {
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

const SELECT = `select s.device_id as id from ad_screens s join devices d on d.id = s.device_id
  where d.deleted_at is null and d.ip like '203.0.113.%' and s.player_token_hash = '' and s.smil_key_hash = ''
    and s.last_report_time > now() - interval '6 hours'`

const UPDATE = `with told as (
    select * from json_to_recordset($1) as t (id int, etag text, files int, playing jsonb)),
  devices_now as (update devices set online = 1, last_online_time = now() from told where devices.id = told.id)
  update ad_screens s set applied_etag = told.etag, total_files = told.files, now_playing = told.playing, playing_time = now(),
    ready_files = case when s.failed = '[]'::jsonb then told.files else greatest(0, told.files - 1) end,
    last_report_time = now()
  from told where s.device_id = told.id`

/** Reports for the demo screens that are not silent: their manifest, their files and what the schedule shows now. */
export async function refreshDemoScreens({ database, fleet, adDelivery }: Services) {
  const { rows } = await database.pool.query<{ id: number }>(SELECT)
  if (rows.length === 0) return 0
  await fleet.ready()
  const now = Date.now()
  const told = rows.flatMap(({ id }) => {
    const slot = fleet.slots.slotOf(id)
    if (slot < 0) return []
    const { etag, files, schedule } = adDelivery.index.manifestOf(slot)
    const { program, item, ad, start } = findSlotAt(buildTimeline(schedule), now)
    const playing = program && item && ad && { programId: program.id, itemId: item.id, adId: ad.id, since: start }
    return [{ id, etag, files: files.size, playing }]
  })
  await database.pool.query(UPDATE, [JSON.stringify(told)])
  return told.length
}
