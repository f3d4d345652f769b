import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  type playbackConsents as calls,
  MAX_VIEW_MS,
  MAX_VIEW_PICTURES,
  OWN_CONSENT_MESSAGE,
} from '@oms/contract/storage/consent.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, paginate, within } from '#core/database/lists/list-query.ts'
import { invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { FieldProblems } from '#core/http/field-problems.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import { parseLocalTime, formatLocalTime } from '#core/time/zone.ts'
import { findDevice, scopedByDevice } from '#modules/device/device-filter.ts'
import { splitByFormat } from '../video/recordings/playlist.ts'
import { isHevcFormat } from '../video/recordings/segment.ts'
import { devices } from '#modules/device/schema.ts'
import { ossConsents, ossViews } from '../schema-playback.ts'
import { tenants } from '#core/schema/tenant.ts'
import { formatFileName } from './play-stream.ts'
import { createPlayToken, NO_SESSION, formatPlaylistUrl, formatPlayUrl } from './play-token.ts'
import { createNoRecordingsError, listPictures, listRecordings, type Picture, type Recording } from './recordings.ts'

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
export async function requireUsableConsent({ db, user, now, services }: Ctx, wanted: Omit<Wanted, 'begin' | 'end'>) {
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

export async function requireViewedDevice(ctx: Ctx, sn: string) {
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
