import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  type playbackConsents as calls,
  MAX_VIEW_MS,
  MAX_VIEW_PICTURES,
  OWN_CONSENT_MESSAGE,
  MAX_INTERVALS,
} from '@oms/contract/storage/consent.ts'
import { and, eq, sql, asc, gte, lte } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within } from '#core/database/lists/list-query.ts'
import { invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { tenants } from '#core/schema/tenant.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { parseLocalTime, formatLocalTime, addDays, formatLocalDay } from '#core/time/zone.ts'
import { findDevice, scopedByDevice } from '#modules/device/device-filter.ts'
import { devices } from '#modules/device/schema.ts'
import { ossConsents, ossViews } from '../schema-playback.ts'
import { ossDeviceDays } from '../schema-video.ts'
import { splitByFormat, mergeIntervals } from '../video/playlist.ts'
import { isHevcFormat } from '../video/segment.ts'
import { formatFileName } from './play-stream.ts'
import { createPlayToken, NO_SESSION, formatPlaylistUrl, formatPlayUrl } from './play-token.ts'
import {
  createNoRecordingsError,
  listPictures,
  listRecordings,
  type Picture,
  type Recording,
  type RecordingScope,
} from './recordings.ts'

/** Maximum number of segments that are read for one day. */
const MAX_DAY_SEGMENTS = 50_000
/**
 * Maximum number of calendar rows that are read: 64 channels for 366 days. Packages store videos for at most 360 days.
 */
const MAX_ROWS = 64 * 366
/** Time that a picture stands for, so that a camera with pictures only also offers intervals to view. */
const PICTURE_MS = 60_000

const noConsent = () => refused('未取得用户授权，不能查看录像')

/** Milliseconds of a stored time. */
const instant = (text: string, zone: string) => parseLocalTime(text.slice(0, 19), zone)

interface Wanted {
  readonly deviceId: number
  readonly ownerId: number
  readonly consentId: number
  readonly begin: number
  readonly end: number
}

/** Returns the valid consent of a device's owner. Staff cannot use a consent that they recorded themselves. */
async function requireUsableConsent({ db, user, now, services }: Ctx, wanted: Omit<Wanted, 'begin' | 'end'>) {
  const { timeZone: zone } = services.config
  const [consent] = await db
    .select()
    .from(ossConsents)
    .where(and(eq(ossConsents.id, wanted.consentId), scoped(user, { tenant: ossConsents.tenantId })))
  const isValid =
    consent !== undefined &&
    consent.deviceId === wanted.deviceId &&
    (consent.appAccountId ?? 0) === wanted.ownerId &&
    consent.withdrawTime === null &&
    instant(consent.validUntil, zone) > now.getTime()
  if (!isValid) throw noConsent()
  if (consent.uid === user.uid) throw refused(OWN_CONSENT_MESSAGE)
  const { rangeBegin, rangeEnd } = consent
  return { rangeBegin, rangeEnd, begin: instant(rangeBegin, zone), end: instant(rangeEnd, zone) }
}

/** Refuses a view whose range the consent does not cover. */
async function assertConsent(ctx: Ctx, wanted: Wanted) {
  const consent = await requireUsableConsent(ctx, wanted)
  if (wanted.begin < consent.begin || wanted.end > consent.end)
    throw invalid(`授权仅包含 ${consent.rangeBegin} 至 ${consent.rangeEnd} 的录像`, 'begin')
}

async function requireViewedDevice(ctx: Ctx, sn: string) {
  const device = await findDevice(ctx, eq(devices.sn, sn))
  if (!device) throw invalid('设备不存在或已被删除', 'sn')
  return device
}

function assertViewRange({ begin, end }: { begin: number; end: number }) {
  if (end <= begin) throw invalid('结束时间应晚于开始时间', 'end')
  if (end - begin > MAX_VIEW_MS) throw invalid('一次最多查看30分钟', 'end')
}

/** Returns the viewed device. Throws one error with the problems of device and range. */
async function checkView(ctx: Ctx, sn: string, range: { begin: number; end: number }) {
  const problems = new FieldProblems()
  const device = await problems.collect(() => requireViewedDevice(ctx, sn))
  await problems.collect(() => assertViewRange(range))
  problems.throwIfAny()
  return device!
}

/**
 * Creates the playback URLs for one view of recordings by staff. Records the view, so that the owner of the device sees
 * who viewed the recordings.
 */
export async function viewRecording(
  ctx: Ctx,
  { sn, channel, consentId, reason, ...texts }: ParsedOf<typeof calls.view>,
) {
  const { db, user, services, now, request } = ctx
  const { timeZone: zone, secretKey } = services.config
  const range = { begin: parseLocalTime(texts.begin, zone), end: parseLocalTime(texts.end, zone) }
  const device = await checkView(ctx, sn, range)
  const scope = { deviceId: device.id, channel, tenantId: device.tenantId, ownerId: device.appAccountId ?? 0, ...range }
  await assertConsent(ctx, { ...scope, consentId })
  const moment = { zone, now: now.getTime() }
  const videos = await listRecordings(db, scope, moment)
  const { list: pictures } = await listPictures(db, scope, { ...moment, limit: MAX_VIEW_PICTURES })
  if (videos.length + pictures.length === 0) throw await createNoRecordingsError(db, scope, moment)
  await db.insert(ossViews).values({
    ...scope,
    sn,
    appAccountId: device.appAccountId,
    consentId,
    uid: user.uid,
    operName: user.realname || user.account,
    reason,
    beginMs: range.begin,
    endMs: range.end,
    segments: videos.length + pictures.length,
    ip: request.ip,
  })
  const action = `查看设备 ${sn} 通道${channel}的录像：${texts.begin} 至 ${texts.end}，原因：${reason}`
  ctx.audit({ bizType: 'device', bizId: device.id, action })
  await services.events.publish(db, 'changed', { resource: 'oss', tenantId: device.tenantId })
  const { token, expires } = createPlayToken(secretKey, { ...scope, ...NO_SESSION, consentId }, now.getTime())
  return {
    url: videos.length > 0 ? formatPlaylistUrl(token) : null,
    ...presentFormat(videos, range.begin, zone),
    pictures: pictures.map((row) => presentPicture(row, token, zone)),
    expireTime: expires,
    watermark: `${user.account} ${formatLocalTime(now, zone)}`,
  }
}

function presentFormat(videos: readonly Recording[], begin: number, zone: string) {
  const { rows, next } = splitByFormat(videos, begin)
  return {
    isHevc: rows.some(({ format }) => isHevcFormat(format)),
    nextBegin: next ? formatLocalTime(next.startMs, zone) : null,
  }
}

const presentPicture = (row: Picture, token: string, zone: string) => ({
  time: formatLocalTime(row.startMs, zone),
  url: formatPlayUrl(token, formatFileName(row)),
})

const selectViews = (db: Db) =>
  db
    .select({
      id: ossViews.id,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`,
      deviceId: ossViews.deviceId,
      sn: ossViews.sn,
      channel: ossViews.channel,
      operName: ossViews.operName,
      reason: ossViews.reason,
      beginMs: ossViews.beginMs,
      endMs: ossViews.endMs,
      segments: ossViews.segments,
      consentId: ossViews.consentId,
      ip: ossViews.ip,
      createTime: ossViews.createTime,
    })
    .from(ossViews)
    .leftJoin(tenants, eq(tenants.id, ossViews.tenantId))

/** Lists views of recordings by staff. */
export async function listViews(ctx: Ctx, input: ParsedOf<typeof calls.views>) {
  const { db, user, services } = ctx
  const query = selectViews(db)
    .where(
      and(
        scopedByDevice(user, { tenant: ossViews.tenantId, device: ossViews.deviceId }),
        contains(ossViews.sn, input.sn),
        contains(ossViews.operName, input.operName),
        input.tenantId === undefined ? undefined : eq(ossViews.tenantId, input.tenantId),
        input.consentId === undefined ? undefined : eq(ossViews.consentId, input.consentId),
        ...within(ossViews.createTime, input.beginTime, input.endTime),
      ),
    )
    .$dynamic()
  const page = await paginate(db, query, input, buildSort(input, { createTime: ossViews.createTime }, ossViews.id))
  const zone = services.config.timeZone
  return {
    ...page,
    list: page.list.map(({ beginMs, endMs, ...row }) => ({
      ...row,
      beginTime: formatLocalTime(beginMs, zone),
      endTime: formatLocalTime(endMs, zone),
    })),
  }
}

/** Returns channels, days and intervals with recordings that a consent covers. Nothing outside its range is returned. */
export async function listConsentedTimes(ctx: Ctx, { sn, channel, consentId, day }: ParsedOf<typeof calls.times>) {
  const { timeZone: zone } = ctx.services.config
  const { id: deviceId, tenantId, appAccountId } = await requireViewedDevice(ctx, sn)
  const ownerId = appAccountId ?? 0
  const { begin, end } = await requireUsableConsent(ctx, { deviceId, ownerId, consentId })
  const scope = { deviceId, channel, tenantId, ownerId, begin, end }
  const recorded = await recordedDays(ctx, scope, zone)
  const channels = [...new Set(recorded.map((row) => row.channel))].sort((a, b) => a - b)
  const calendar = [...new Set(recorded.filter((row) => row.channel === channel).map((row) => row.day))]
  const days = await withoutEmptyEdges(ctx, { scope, zone }, calendar)
  const shown = day ?? days.at(-1)
  const isCovered = shown !== undefined && days.includes(shown)
  return { channels, days, list: isCovered ? await intervalsOf(ctx.db, { scope, day: shown, zone, now: ctx.now }) : [] }
}

/** Days of the calendar with unexpired recordings in the range. */
function recordedDays({ db, now }: Ctx, { deviceId, tenantId, ownerId, begin, end }: RecordingScope, zone: string) {
  return db
    .select({ channel: ossDeviceDays.channel, day: ossDeviceDays.day })
    .from(ossDeviceDays)
    .where(
      and(
        eq(ossDeviceDays.deviceId, deviceId),
        eq(ossDeviceDays.tenantId, tenantId),
        eq(ossDeviceDays.ownerId, ownerId),
        gte(ossDeviceDays.day, formatLocalDay(begin, zone)),
        lte(ossDeviceDays.day, formatLocalDay(end, zone)),
        sql`${formatLocalDay(now, zone)}::date < any(${ossDeviceDays.expireDays})`,
      ),
    )
    .orderBy(asc(ossDeviceDays.day))
    .limit(MAX_ROWS)
}

/**
 * Removes the first and the last day of the range when their recordings lie outside the range. The calendar knows only
 * that the channel recorded on these days.
 */
async function withoutEmptyEdges({ db, now }: Ctx, { scope, zone }: Omit<Day, 'day' | 'now'>, days: readonly string[]) {
  const edges = [...new Set([formatLocalDay(scope.begin, zone), formatLocalDay(scope.end, zone)])]
  const empty = new Set<string>()
  for (const day of edges.filter((edge) => days.includes(edge))) {
    // oxlint-disable-next-line no-await-in-loop -- at most two days, on one connection
    if ((await intervalsOf(db, { scope, day, zone, now })).length === 0) empty.add(day)
  }
  return days.filter((day) => !empty.has(day))
}

interface Day {
  readonly scope: RecordingScope
  readonly day: string
  readonly zone: string
  readonly now: Date
}

/** Intervals of a day that lie inside the range. */
async function intervalsOf(db: Db, { scope, day, zone, now }: Day) {
  const begin = Math.max(scope.begin, parseLocalTime(`${day} 00:00:00`, zone))
  const end = Math.min(scope.end, parseLocalTime(`${addDays(day)} 00:00:00`, zone))
  const limits = { zone, now: now.getTime(), limit: MAX_DAY_SEGMENTS }
  const videos = await listRecordings(db, { ...scope, begin, end }, limits)
  const { list: pictures } = await listPictures(db, { ...scope, begin, end }, limits)
  const spans = [...videos, ...pictures.map(({ startMs }) => ({ startMs, durationMs: PICTURE_MS }))]
  const text = (ms: number) => formatLocalTime(ms, zone)
  return mergeIntervals(spans.toSorted((a, b) => a.startMs - b.startMs))
    .map(({ from, to }) => ({ from: Math.max(from, begin), to: Math.min(to, end) }))
    .filter(({ from, to }) => to - from >= 1000)
    .slice(0, MAX_INTERVALS)
    .map(({ from, to }) => ({ begin: text(from), end: text(to) }))
}
