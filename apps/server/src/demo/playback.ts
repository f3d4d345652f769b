import { createHmac, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { playbackApp } from '@oms/contract/storage/app.ts'
import { appKeys } from '@oms/contract/storage/app-key.ts'
import { playbackConsents } from '@oms/contract/storage/consent.ts'
import { sql } from 'drizzle-orm'
import { runAsActor } from '#core/auth/system-actor.ts'
import type { Services } from '#core/services.ts'
import { addDays, formatLocalDay, formatLocalTime } from '#core/time/zone.ts'
import { formatObjectKey, type Segment } from '#modules/storage/video/segment.ts'
import { createAppConsent } from '#modules/storage/playback/consent.ts'
import { buildSignedText, createAppKey as createKey, createAppSession } from '#modules/storage/playback/app-key.ts'
import { viewRecording } from '#modules/storage/playback/view.ts'
import type { Db } from '#core/database/client.ts'
import { DAY_MS, type Demo, runCall } from './call.ts'
import { VIDEO_FOLDER } from './media.ts'

/** Number of days with rows of videos, and number of days with sums. */
const DAYS = 8
const SUM_DAYS = 90

/**
 * Creates the uploads of the demo's cameras: rows of the last days, without files (`status` 0), and the sums of ninety
 * days. Also creates the last requests of cameras, faults, and cameras that their users switched off.
 */
export async function seedDemoVideos({ db }: Demo) {
  await db.execute(sql`create temp table demo_days on commit drop as
    select e.device_id, e.channel, e.tenant_id, coalesce(d.app_account_id, 0) as owner_id, e.id as entitlement_id,
      d.model_id, e.record_type, e.storage_days, day::date as day,
      (case when e.record_type = 1 then 24 else 6 end)::int as hours, (hashint4(e.device_id) & 7) as roll
    from oss_entitlements e join devices d on d.id = e.device_id and d.status = 1 and d.activate_time is not null
    cross join lateral generate_series(greatest(e.start_time, now() - ${SUM_DAYS} * interval '1 day')::date,
      least(e.end_time, now() - interval '1 day')::date, interval '1 day') day
    where e.used_seconds > 0 or e.state = 1`)
  await db.execute(sql`delete from demo_days a using demo_days b
    where a.device_id = b.device_id and a.channel = b.channel and a.day = b.day and a.entitlement_id < b.entitlement_id`)
  await db.execute(sql`delete from demo_days where roll = 0`)
  await addRows(db)
  await addSums(db)
  await addStatus(db)
}

/** Creates one video row for every three hours of the last days that are still kept. */
async function addRows(db: Db) {
  await db.execute(sql`select oms_ensure_video_days(array(
    select distinct day + storage_days + 1 from demo_days where day > current_date - ${DAYS}::int))`)
  await db.execute(sql`
    insert into oss_segments (expire_day, device_id, channel, kind, start_ms, duration_ms, bytes, session, seq, tenant_id,
      owner_id, entitlement_id, model_id, salt, day, format, record_type, status)
    select day + storage_days + 1, device_id, channel, 1, extract(epoch from day::timestamptz + n * interval '3 hours') * 1000,
      600000, 48000000 + (roll + n) * 1000000, 1, n, tenant_id, owner_id, entitlement_id, model_id, n, day, 1, record_type, 0
    from demo_days cross join generate_series(0, 7) n
    where day > current_date - ${DAYS}::int and day + storage_days + 1 > current_date and n * 3 < hours`)
}

/** Creates the sums of each channel and day. Days without rows get estimates of one row for every three hours. */
async function addSums(db: Db) {
  await db.execute(sql`
    insert into oss_device_days (device_id, channel, day, tenant_id, owner_id, model_id, record_type, expire_days, segments,
      events, duration_ms, bytes, first_ms, last_ms, entitlement_id)
    select d.device_id, d.channel, d.day, d.tenant_id, d.owner_id, d.model_id, d.record_type,
      case when count(s.*) > 0 then array[d.day + d.storage_days + 1] else '{}' end,
      case when count(s.*) > 0 then count(s.*) else d.hours / 3 end, case when d.record_type = 1 then 0 else d.roll end,
      coalesce(sum(s.duration_ms), d.hours / 3 * 600000::bigint),
      coalesce(sum(s.bytes), d.hours / 3 * (48000000 + (d.roll + 3) * 1000000::bigint)),
      extract(epoch from d.day::timestamptz) * 1000, extract(epoch from d.day::timestamptz) * 1000 + d.hours * 3600000, d.entitlement_id
    from demo_days d left join oss_segments s on s.device_id = d.device_id and s.channel = d.channel and s.day = d.day
    group by d.device_id, d.channel, d.day, d.tenant_id, d.owner_id, d.model_id, d.record_type, d.storage_days, d.hours, d.roll,
      d.entitlement_id`)
  // The triggers have counted the created rows. This statement adds the estimates for the days without rows.
  await db.execute(sql`
    insert into oss_usage_days (day, tenant_id, model_id, record_type, segments, duration_ms, bytes, device_days)
    select day, tenant_id, model_id, record_type, sum(segments), sum(duration_ms), sum(bytes), 0 from oss_device_days
    where expire_days = '{}' group by 1, 2, 3, 4`)
}

/** Creates last requests and responses, cameras with a fault, and cameras that their users switched off. */
async function addStatus(db: Db) {
  await db.execute(sql`
    insert into oss_device_status (device_id, channel, tenant_id, ask_time, answer, upload_time)
    select q.device_id, q.channel, q.tenant_id, now() - (q.device_id % 50) * interval '1 minute',
      case when q.suspended = 1 then 'suspended' when q.end_time > now() then 'recording' else 'expired' end,
      (select max(to_timestamp(last_ms / 1000)) from oss_device_days o where o.device_id = q.device_id and o.channel = q.channel)
    from oss_queues q join devices d on d.id = q.device_id and d.status = 1 where q.device_id % 8 > 0`)
  // Most cameras uploaded a few minutes ago; the others are listed as troubled.
  await db.execute(sql`update oss_device_status set upload_time = now() - (device_id % 40) * interval '1 minute'
    where answer = 'recording' and device_id % 27 <> 1`)
  await db.execute(sql`update oss_device_status set trouble_time = now() - interval '3 hours', trouble_code = 'E12',
    trouble_text = '编码器未输出关键帧' where (device_id, channel) in (
      select device_id, channel from oss_device_status where answer = 'recording' order by 1, 2 limit 4)`)
  await db.execute(sql`update oss_queues set switched_off = 1 where (device_id, channel) in (
    select device_id, channel from oss_device_status where answer = 'recording' order by 1 desc, 2 limit 3)`)
  await db.execute(sql`update oss_device_status s set answer = 'switch' from oss_queues q
    where q.device_id = s.device_id and q.channel = s.channel and q.switched_off = 1`)
  await addRefusals(db)
}

/** Marks one camera for each refusal reason that depends on the recording: its request was refused yesterday. */
async function addRefusals(db: Db) {
  await db.execute(sql`
    with cameras as (
      select s.device_id, s.channel, (e.record_type = 1) as continuous, v.day_limit_mb > 0 as limited,
        row_number() over (partition by e.record_type = 1, v.day_limit_mb > 0 order by s.device_id desc, s.channel) as n
      from oss_device_status s
      join oss_entitlements e on e.device_id = s.device_id and e.channel = s.channel and e.state = 1
      join oss_package_versions v on v.id = e.package_version_id
      where s.answer = 'recording' and s.trouble_code = '' and e.run_from < now() - interval '1 day'),
    reasons (continuous, limited, n, answer) as (values (true, false, 5, 'clock'), (true, false, 6, 'old'), (true, false, 7, 'waiting'),
      (true, false, 8, 'space'), (false, false, 5, 'kind'), (false, false, 6, 'event'), (false, true, 1, 'day'))
    update oss_device_status s set answer = r.answer, ask_time = now() - interval '14 hours',
      upload_time = now() - interval '16 hours'
    from cameras c join reasons r on r.continuous = c.continuous and r.limited = c.limited and r.n = c.n
    where s.device_id = c.device_id and s.channel = c.channel`)
}

const CLIPS = 6
const CLIP_MS = 4000
const CAMERAS = 6
const MINUTE_MS = 60_000
/** Days for which the consent is valid, if the recordings are stored longer. */
const VALID_DAYS = 7
/** Minutes between the start of each recorded interval and now. */
const INTERVALS = [20 * 60, 6 * 60, 40]

interface Camera extends Record<string, unknown> {
  readonly deviceId: number
  readonly sn: string
  readonly tenantId: number
  readonly modelId: number
  readonly ownerId: number
  readonly account: string
  readonly entitlementId: number
  readonly recordType: number
  readonly storageDays: number
}

/** Cameras of App users whose package has been in force for two days and more. */
const camerasOf = async ({ database }: Services) =>
  (
    await database.db.execute<Camera>(sql`
      select d.id as "deviceId", d.sn, d.tenant_id as "tenantId", d.model_id as "modelId", a.uid as "ownerId", a.account,
        e.id as "entitlementId", e.record_type as "recordType", e.storage_days as "storageDays"
      from oss_entitlements e join devices d on d.id = e.device_id and d.status = 1
      join app_accounts a on a.uid = d.app_account_id and a.status = 1
      where e.state = 1 and e.channel = 0 and e.run_from < now() - interval '2 days'
      order by d.id limit ${CAMERAS}`)
  ).rows

function segmentOf(
  services: Services,
  camera: Camera,
  place: { startMs: number; session: number; seq: number; bytes: number },
): Segment {
  const day = formatLocalDay(place.startMs, services.config.timeZone)
  return {
    ...camera,
    ...place,
    day,
    expireDay: addDays(day, camera.storageDays + 1),
    channel: 0,
    durationMs: CLIP_MS,
    format: 1,
    initBytes: 0,
    salt: place.session * CLIPS + place.seq,
    eventNo: 0,
    eventType: 0,
  }
}

/** Stores one clip as the object of a recording, and then its row. */
async function store(services: Services, camera: Camera, startMs: number, place: { session: number; seq: number }) {
  const { media, writer } = services.videos
  const clip = join(VIDEO_FOLDER, `clip-${place.seq - 1}.mpeg`)
  const { size: bytes } = await stat(clip)
  const segment = segmentOf(services, camera, { startMs, ...place, bytes })
  if (media.kind === 'local')
    await media.put(formatObjectKey(segment), createReadStream(clip), { bytes, accepts: () => true })
  await writer.add(segment)
}

async function recordIntervals(services: Services, camera: Camera, now: number) {
  const places = INTERVALS.flatMap((minutes, at) =>
    Array.from({ length: CLIPS }, (_, clip) => ({
      startMs: now - minutes * MINUTE_MS + clip * CLIP_MS,
      session: at + 1,
      seq: clip + 1,
    })),
  )
  await Promise.all(places.map(({ startMs, ...place }) => store(services, camera, startMs, place)))
}

/** Creates a consent of the camera's owner through the calls of the App. */
async function consentOf(demo: Demo, camera: Camera, begin: number) {
  const input = appKeys.create.input.parse({ keyName: 'App 后台', tenantId: camera.tenantId })
  const { services, actor } = demo
  const key = await runCall(demo, { name: 'create', ...appKeys.create }, input, createKey)
  const time = Math.floor(services.now().getTime() / 1000)
  const asked = { keyId: key.keyId, account: camera.account, ttl: 900, nonce: randomUUID(), time }
  const sign = createHmac('sha256', key.secret).update(buildSignedText(asked)).digest('hex')
  const given = playbackApp.consent.input.parse({
    sn: camera.sn,
    begin,
    end: begin + 2 * 60 * MINUTE_MS,
    // The recordings of the consent can be viewed until the consent ends.
    validUntil: services.now().getTime() + Math.min(VALID_DAYS, camera.storageDays - 1) * DAY_MS,
    note: '报修夜间画面发白，请协助查看',
  })
  return runAsActor(services, actor, { name: 'consent', ...playbackApp.consent, input: given }, async (ctx) => {
    const { token } = await createAppSession(ctx, { ...asked, sign })
    const user = { ...ctx.user, account: camera.account, tenantId: camera.tenantId }
    return createAppConsent({ ...ctx, user, request: { ...ctx.request, header: () => token } }, given)
  })
}

/**
 * Stores real videos of six cameras, a consent of a user, and two views by staff. Runs after the other demo data are
 * committed, because videos are written by the same writer as those of cameras. Only a local store gets videos.
 */
export async function seedDemoRecordings(demo: Demo) {
  const { services } = demo
  if (services.videos.media.kind !== 'local') return
  const cameras = await camerasOf(services)
  const now = services.now().getTime()
  for (const camera of cameras) await recordIntervals(services, camera, now)
  const [first] = cameras.toSorted((a, b) => b.storageDays - a.storageDays)
  if (!first) return
  const begin = now - INTERVALS[1]! * MINUTE_MS
  const { id: consentId } = await consentOf(demo, first, begin - 30 * MINUTE_MS)
  for (const reason of ['核对夜间画面发白', '更换补光灯后复查画面']) {
    const time = (ms: number) => formatLocalTime(ms, services.config.timeZone)
    const input = playbackConsents.view.input.parse({
      sn: first.sn,
      channel: 0,
      begin: time(begin - MINUTE_MS),
      end: time(begin + 5 * MINUTE_MS),
      consentId,
      reason,
    })
    await runCall(demo, { name: 'view', ...playbackConsents.view }, input, viewRecording)
  }
}
