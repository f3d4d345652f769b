import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { type playbackApp as calls, MAX_PLAY_MS, MAX_PLAY_SEGMENTS } from '@oms/contract/storage/app.ts'
import { and, asc, eq, gte, lte, sql, count, inArray, lt, type SQL } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { invalid, refused } from '#core/http/api-error.ts'
import type { PublicCtx } from '#core/http/context.ts'
import { addDays, formatLocalDay, lastDayOfMonth, parseLocalTime } from '#core/time/zone.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { ossDeviceDays, ossPurges, ossEvents, ossSegments } from '../schema-video.ts'
import { ossPackages, ossQueues } from '../schema.ts'
import { mergeIntervals, splitByFormat } from '../video/playlist.ts'
import { isHevcFormat, SEGMENT_FORMAT, SEGMENT_KIND } from '../video/segment.ts'
import { type AppUser, authenticateAppUser, isOwnDevice, requireOwnDevice, runAsAppUser } from './app-key.ts'
import { formatFileName } from './play-stream.ts'
import { createPlayToken, formatPlaylistUrl, formatPlayUrl } from './play-token.ts'
import {
  type ChannelScope,
  countEventsByDay,
  createNoRecordingsError,
  isDayOf,
  isStorageOver,
  listRecordings,
  sumHiddenByDay,
  listExpireDays,
  buildNotPurgedCondition,
  type RecordingScope,
  listPictures,
} from './recordings.ts'

/** Maximum number of devices that one App account sees. */
const MAX_DEVICES = 500
const MAX_CHANNELS = 64
const USER_DELETION = 2
/** Maximum number of segments that are read for one day. */
const MAX_DAY_SEGMENTS = 50_000

/** Returns the state of a channel's service as a key of `APP_SERVICE_STATE`. */
const serviceStateOf = ({ suspended, endMs }: { suspended: number; endMs: number | null }, now: number) => {
  if (suspended === 1) return 2
  if (endMs === null) return 0
  return endMs > now ? 1 : 3
}

const selectDevices = (db: Db, user: AppUser) =>
  db
    .select({
      id: devices.id,
      sn: devices.sn,
      name: devices.devName,
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`,
      channels: sql<number>`coalesce(${deviceModels.cloudChannels}, 0)`,
    })
    .from(devices)
    .leftJoin(deviceModels, eq(deviceModels.id, devices.modelId))
    .where(isOwnDevice(user))
    .orderBy(asc(devices.id))
    .limit(MAX_DEVICES)

const selectServices = (db: Db, user: AppUser) =>
  db
    .select({
      deviceId: ossQueues.deviceId,
      channel: ossQueues.channel,
      suspended: ossQueues.suspended,
      switchedOff: ossQueues.switchedOff,
      endMs: sql<number | null>`floor(extract(epoch from ${ossQueues.endTime}) * 1000)::float8`,
      packageName: sql<string>`coalesce(${ossPackages.packageName}, '')`,
    })
    .from(ossQueues)
    .innerJoin(devices, eq(devices.id, ossQueues.deviceId))
    .leftJoin(ossPackages, eq(ossPackages.id, ossQueues.lastPackageId))
    .where(isOwnDevice(user))
    .orderBy(asc(ossQueues.channel))
    .limit(MAX_DEVICES * MAX_CHANNELS)

/** Lists the devices of the App's user with the service of each channel. */
export const listAppDevices = (ctx: PublicCtx) =>
  runAsAppUser(ctx, async (db, user) => {
    const rows = await selectDevices(db, user)
    const services = Map.groupBy(await selectServices(db, user), ({ deviceId }) => deviceId)
    const now = ctx.now.getTime()
    return {
      list: rows.map(({ id, ...device }) => ({
        ...device,
        services: (services.get(id) ?? []).map(({ channel, switchedOff, packageName, ...queue }) => ({
          channel,
          packageName,
          state: serviceStateOf(queue, now),
          endTime: queue.suspended === 1 ? null : queue.endMs,
          isOn: switchedOff === 0,
        })),
      })),
    }
  })

/** Selects the sums of each day; a day has one row for each package that covers it. */
const selectDays = (db: Db, scope: ChannelScope, month: string, today: string) =>
  db
    .select({
      day: ossDeviceDays.day,
      seconds: sql<number>`round((${ossDeviceDays.durationMs} - ${ossDeviceDays.removedMs}) / 1000.0)::int`,
      segments: sql<number>`${ossDeviceDays.segments} - ${ossDeviceDays.removedSegments}`,
      expireDays: ossDeviceDays.expireDays,
    })
    .from(ossDeviceDays)
    .where(
      and(
        isDayOf(scope),
        gte(ossDeviceDays.day, `${month}-01`),
        lte(ossDeviceDays.day, lastDayOfMonth(month)),
        sql`${today} < any(${ossDeviceDays.expireDays})`,
      ),
    )
    .orderBy(asc(ossDeviceDays.day))

/** Returns the days of a month on which the channel recorded for the App's user. */
export const listRecordedDays = (ctx: PublicCtx, { sn, channel, month }: ParsedOf<typeof calls.days>) =>
  runAsAppUser(ctx, async (db, user) => {
    const { id } = await requireOwnDevice(db, user, sn)
    const { timeZone: zone } = ctx.services.config
    const today = formatLocalDay(ctx.now, zone)
    const scope = scopeOf(user, id, channel)
    const days = await selectDays(db, scope, month, today)
    if (days.length === 0 || (await isStorageOver(db, scope, ctx.now.getTime()))) return { list: [] }
    const expireDays = [...new Set(days.flatMap((day) => day.expireDays).filter((expireDay) => expireDay > today))]
    const events = await countEventsByDay(db, scope, { expireDays, zone })
    const hidden = await sumHiddenByDay(db, scope, expireDays)
    const list = [...Map.groupBy(days, ({ day }) => day)].map(([day, rows]) => ({
      day,
      seconds: rows.reduce((sum, { seconds }) => sum + seconds, -(hidden.get(day)?.seconds ?? 0)),
      segments: rows.reduce((sum, { segments }) => sum + segments, -(hidden.get(day)?.segments ?? 0)),
      events: events.get(day) ?? 0,
    }))
    return { list: list.filter(({ segments, events }) => segments + events > 0) }
  })

const scopeOf = (user: AppUser, deviceId: number, channel: number) => ({
  deviceId,
  channel,
  tenantId: user.tenantId,
  ownerId: user.uid,
})

/** Returns the merged intervals of a day with recordings. */
export const getTimeline = (ctx: PublicCtx, { sn, channel, day }: ParsedOf<typeof calls.timeline>) =>
  runAsAppUser(ctx, async (db, user) => {
    const { id } = await requireOwnDevice(db, user, sn)
    const zone = ctx.services.config.timeZone
    const begin = parseLocalTime(`${day} 00:00:00`, zone)
    const end = parseLocalTime(`${addDays(day)} 00:00:00`, zone)
    const scope = { ...scopeOf(user, id, channel), begin, end }
    const rows = await listRecordings(db, scope, { zone, now: ctx.now.getTime(), limit: MAX_DAY_SEGMENTS })
    return {
      list: mergeIntervals(rows).map(({ from, to }) => ({ from: Math.max(from, begin), to: Math.min(to, end) })),
    }
  })

function assertPlayRange({ begin, end }: { begin: number; end: number }) {
  if (end <= begin) throw invalid('结束时间应晚于开始时间', 'end')
  if (end - begin > MAX_PLAY_MS) throw invalid('一次最多24小时', 'end')
}

/** Creates the address of a playlist for a range of the user's recordings. */
export const playRecording = (ctx: PublicCtx, { sn, channel, ...range }: ParsedOf<typeof calls.play>) =>
  runAsAppUser(ctx, async (db, user) => {
    assertPlayRange(range)
    const { id } = await requireOwnDevice(db, user, sn)
    const { config } = ctx.services
    const scope = { ...scopeOf(user, id, channel), ...range }
    const now = ctx.now.getTime()
    const rows = await listRecordings(db, scope, { zone: config.timeZone, now, limit: MAX_PLAY_SEGMENTS + 1 })
    if (rows.length === 0) throw await createNoRecordingsError(db, scope, { zone: config.timeZone, now })
    const first = splitByFormat(rows, range.begin)
    const next = first.rows[MAX_PLAY_SEGMENTS] ?? first.next
    const end = next ? next.startMs : range.end
    const { token, expires } = createPlayToken(config.secretKey, { ...scope, ...user.session, end, consentId: 0 }, now)
    const isHevc = isHevcFormat(first.rows[0]!.format)
    return { url: formatPlaylistUrl(token), expireTime: expires, isHevc, ...(next && { nextBegin: next.startMs }) }
  })

/**
 * Requests the deletion of the recordings that begin in a range. The user no longer sees the videos from this moment.
 */
export async function removeRecordings(ctx: PublicCtx, { sn, channel, ...range }: ParsedOf<typeof calls.remove>) {
  const user = await authenticateAppUser(ctx)
  assertPlayRange(range)
  const { id } = await requireOwnDevice(ctx.db, user, sn)
  const scope = { ...scopeOf(user, id, channel), ...range }
  await ctx.db.insert(ossPurges).values({
    tenantId: user.tenantId,
    ownerId: user.uid,
    deviceId: id,
    channel,
    reason: USER_DELETION,
    fromMs: scope.begin,
    // The deletion ends now: recordings that start later are kept, even inside the range.
    untilMs: Math.min(scope.end, ctx.now.getTime()),
  })
  // Play addresses that were issued before must not send the recordings either.
  await ctx.services.events.publish(ctx.db, 'changed', { resource: 'oss', tenantId: user.tenantId })
  ctx.audit({
    actor: { tenantId: user.tenantId, name: user.account },
    bizType: 'device',
    bizId: id,
    action: `App账号「${user.account}」删除设备 ${sn} 通道${channel}的录像`,
  })
  return null
}

/** Turns recording of a channel to the cloud on or off for its user. */
export async function setRecordingSwitch(ctx: PublicCtx, { sn, channel, on }: ParsedOf<typeof calls.switch>) {
  const user = await authenticateAppUser(ctx)
  const { id } = await requireOwnDevice(ctx.db, user, sn)
  const done = await ctx.db
    .update(ossQueues)
    .set({ switchedOff: on === 1 ? 0 : 1 })
    .where(and(eq(ossQueues.deviceId, id), eq(ossQueues.channel, channel), eq(ossQueues.tenantId, user.tenantId)))
    .returning({ deviceId: ossQueues.deviceId })
  if (done.length === 0) throw refused('该通道未开通云存储')
  ctx.audit({
    actor: { tenantId: user.tenantId, name: user.account },
    bizType: 'device',
    bizId: id,
    action: `App账号「${user.account}」${on === 1 ? '启用' : '停用'}设备 ${sn} 通道${channel}的云录像`,
  })
  return null
}

/** Join condition of the picture of an event. */
const picture = and(
  eq(ossSegments.expireDay, ossEvents.expireDay),
  eq(ossSegments.deviceId, ossEvents.deviceId),
  eq(ossSegments.channel, ossEvents.channel),
  eq(ossSegments.kind, SEGMENT_KIND.picture),
  eq(ossSegments.startMs, ossEvents.pictureMs),
  eq(ossSegments.tenantId, ossEvents.tenantId),
  eq(ossSegments.ownerId, ossEvents.ownerId),
  eq(ossSegments.status, 1),
)

const eventsIn = (scope: RecordingScope, expireDays: readonly string[], type: number | undefined): SQL | undefined =>
  and(
    inArray(ossEvents.expireDay, [...expireDays]),
    eq(ossEvents.deviceId, scope.deviceId),
    eq(ossEvents.channel, scope.channel),
    eq(ossEvents.tenantId, scope.tenantId),
    eq(ossEvents.ownerId, scope.ownerId),
    gte(ossEvents.startMs, scope.begin),
    lt(ossEvents.startMs, scope.end),
    type === undefined ? undefined : eq(ossEvents.type, type),
    buildNotPurgedCondition(ossEvents),
  )

/** Returns a day as a range of milliseconds. */
const dayRange = (day: string, zone: string) => ({
  begin: parseLocalTime(`${day} 00:00:00`, zone),
  end: parseLocalTime(`${addDays(day)} 00:00:00`, zone),
})

/** Lists the events of a day with the addresses of their pictures. */
export const listVideoEvents = (ctx: PublicCtx, { sn, channel, day, type, ...page }: ParsedOf<typeof calls.events>) =>
  runAsAppUser(ctx, async (db, user) => {
    const { id: deviceId } = await requireOwnDevice(db, user, sn)
    const { timeZone: zone, secretKey } = ctx.services.config
    const now = ctx.now.getTime()
    const scope = { deviceId, channel, tenantId: user.tenantId, ownerId: user.uid, ...dayRange(day, zone) }
    const expireDays = await listExpireDays(db, scope, { zone, now })
    if (expireDays.length === 0) return { total: 0, list: [] }
    const isShown = eventsIn(scope, expireDays, type)
    const [counted] = await db.select({ total: count() }).from(ossEvents).where(isShown)
    const rows = await db
      .select({
        id: ossEvents.eventNo,
        type: ossEvents.type,
        from: ossEvents.startMs,
        to: ossEvents.endMs,
        segments: ossEvents.segments,
        expireDay: ossEvents.expireDay,
        pictureMs: ossSegments.startMs,
        salt: ossSegments.salt,
      })
      .from(ossEvents)
      .leftJoin(ossSegments, picture)
      .where(isShown)
      .orderBy(asc(ossEvents.startMs), asc(ossEvents.eventNo))
      .limit(page.pageSize)
      .offset((page.pageNum - 1) * page.pageSize)
    const { token } = createPlayToken(secretKey, { ...scope, ...user.session, consentId: 0 }, now)
    return {
      total: counted!.total,
      list: rows.map(({ expireDay, pictureMs, salt, ...event }) => ({
        ...event,
        picture:
          pictureMs === null || salt === null
            ? null
            : formatPlayUrl(token, formatFileName({ expireDay, startMs: pictureMs, salt, format: SEGMENT_FORMAT.jpg })),
      })),
    }
  })

/** Lists the pictures of a day with their addresses. */
export const listAppPictures = (
  ctx: PublicCtx,
  { sn, channel, day, pageNum, pageSize }: ParsedOf<typeof calls.pictures>,
) =>
  runAsAppUser(ctx, async (db, user) => {
    const { id: deviceId } = await requireOwnDevice(db, user, sn)
    const { timeZone: zone, secretKey } = ctx.services.config
    const now = ctx.now.getTime()
    const scope = { deviceId, channel, tenantId: user.tenantId, ownerId: user.uid, ...dayRange(day, zone) }
    const page = { limit: pageSize, offset: (pageNum - 1) * pageSize }
    const { total, list } = await listPictures(db, scope, { zone, now, ...page })
    const { token } = createPlayToken(secretKey, { ...scope, ...user.session, consentId: 0 }, now)
    return {
      total,
      list: list.map((row) => ({
        time: row.startMs,
        bytes: row.bytes,
        url: formatPlayUrl(token, formatFileName(row)),
      })),
    }
  })
