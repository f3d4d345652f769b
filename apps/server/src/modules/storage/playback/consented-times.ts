import { MAX_INTERVALS, type playbackConsents as calls } from '@oms/contract/storage/consent.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, eq, gte, lte, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Ctx } from '#core/http/context.ts'
import { addDays, parseLocalTime, formatLocalDay, formatLocalTime } from '#core/time/zone.ts'
import { mergeIntervals } from '../video/recordings/playlist.ts'
import { ossDeviceDays } from '../schema-video.ts'
import { type RecordingScope, listPictures, listRecordings } from './recordings.ts'
import { requireUsableConsent, requireViewedDevice } from './view.ts'

/** Maximum number of segments that are read for one day. */
const MAX_DAY_SEGMENTS = 50_000
/**
 * Maximum number of calendar rows that are read: 64 channels for 366 days. Packages store videos for at most 360 days.
 */
const MAX_ROWS = 64 * 366

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

/** Time that a picture stands for, so that a camera with pictures only also offers intervals to view. */
const PICTURE_MS = 60_000

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
