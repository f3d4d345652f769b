import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { playbackApp as calls } from '@oms/contract/storage/app.ts'
import { and, asc, count, eq, gte, inArray, lt, type SQL } from 'drizzle-orm'
import type { PublicCtx } from '#core/http/context.ts'
import { addDays, parseLocalTime } from '#core/time/zone.ts'
import { runAsAppUser, requireOwnDevice } from '../video/app-user.ts'
import { SEGMENT_FORMAT, SEGMENT_KIND } from '../video/recordings/segment.ts'
import { ossEvents, ossSegments } from '../schema-video.ts'
import { formatFileName } from './play-stream.ts'
import { createPlayToken, formatPlayUrl } from './play-token.ts'
import { listExpireDays, buildNotPurgedCondition, type RecordingScope } from './recordings.ts'

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
export const dayRange = (day: string, zone: string) => ({
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
