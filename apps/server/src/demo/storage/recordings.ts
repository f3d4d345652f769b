import { createHmac, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { playbackApp } from '@oms/contract/storage/app.ts'
import { appKeys } from '@oms/contract/storage/app-key.ts'
import { playbackConsents } from '@oms/contract/storage/consent.ts'
import { sql } from 'drizzle-orm'
import { type Actor, runAsActor } from '#core/auth/system-actor.ts'
import type { Services } from '#core/services.ts'
import { addDays, formatLocalDay, formatLocalTime } from '#core/time/zone.ts'
import { formatObjectKey, type Segment } from '#modules/storage/video/segment.ts'
import { createAppConsent } from '#modules/storage/playback/consent.ts'
import { createAppKey as createKey, createAppSession, buildSignedText } from '#modules/storage/playback/app-key.ts'
import { viewRecording } from '#modules/storage/playback/view.ts'
import { VIDEO_FOLDER } from '#demo/video-folder.ts'

const CLIPS = 6
const CLIP_MS = 4000
const CAMERAS = 6
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
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
async function consentOf(services: Services, demo: Actor, camera: Camera, begin: number) {
  const input = appKeys.create.input.parse({ keyName: 'App 后台', tenantId: camera.tenantId })
  const key = await runAsActor(services, demo, { name: 'create', ...appKeys.create, input }, (ctx) =>
    createKey(ctx, input),
  )
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
  return runAsActor(services, demo, { name: 'consent', ...playbackApp.consent, input: given }, async (ctx) => {
    const { token } = await createAppSession(ctx, { ...asked, sign })
    const user = { ...ctx.user, account: camera.account, tenantId: camera.tenantId }
    return createAppConsent({ ...ctx, user, request: { ...ctx.request, header: () => token } }, given)
  })
}

/**
 * Stores real videos of six cameras, a consent of a user, and two views by staff. Runs after the other demo data are
 * committed, because videos are written by the same writer as those of cameras. Only a local store gets videos.
 */
export async function seedDemoRecordings(services: Services, demo: Actor) {
  if (services.videos.media.kind !== 'local') return
  // The users of the demo bound their cameras when they bought them, not at the moment of the first start.
  await services.database.db.execute(
    sql`update devices set owner_time = activate_time where app_account_id is not null`,
  )
  const cameras = await camerasOf(services)
  const now = services.now().getTime()
  for (const camera of cameras) await recordIntervals(services, camera, now)
  const [first] = cameras.toSorted((a, b) => b.storageDays - a.storageDays)
  if (!first) return
  const begin = now - INTERVALS[1]! * MINUTE_MS
  const { id: consentId } = await consentOf(services, demo, first, begin - 30 * MINUTE_MS)
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
    await runAsActor(services, demo, { name: 'view', ...playbackConsents.view, input }, (ctx) =>
      viewRecording(ctx, input),
    )
  }
}
