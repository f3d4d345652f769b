import { and, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { adScreenPeriods } from '#schema/advertise-screen.ts'

/** A time span in milliseconds. */
export interface Span {
  readonly start: number
  readonly end: number
}

const startMs = sql<number>`extract(epoch from ${adScreenPeriods.fromTime})::float8 * 1000`
const endMs = sql<number>`coalesce(extract(epoch from ${adScreenPeriods.untilTime})::float8 * 1000, 'infinity')`

/**
 * Returns the time around a moment during which the device was a screen of the tenant; undefined when it was none. A new
 * audience factor begins a new row of the same pairing, so adjacent rows are one span.
 */
export async function readPairingSpan(
  db: Db,
  { id, tenantId }: { readonly id: number; readonly tenantId: number },
  at: number,
): Promise<Span | undefined> {
  const rows = await db
    .select({ start: startMs, end: endMs })
    .from(adScreenPeriods)
    .where(and(eq(adScreenPeriods.deviceId, id), eq(adScreenPeriods.tenantId, tenantId)))
    .orderBy(desc(adScreenPeriods.fromTime))
    .limit(MAX_ROWS)
  const spans: Span[] = []
  for (const row of rows) {
    const later = spans.at(-1)
    if (later && later.start <= row.end) spans[spans.length - 1] = { start: row.start, end: later.end }
    else spans.push(row)
  }
  return spans.find(({ start, end }) => start <= at && at < end)
}
const MAX_ROWS = 1000

/** Returns the parts of segments that are within a span. */
export const clipSegments = <S extends Span>(segments: readonly S[], span: Span): S[] =>
  segments
    .filter(({ start, end }) => start < span.end && end > span.start)
    .map((each) => ({ ...each, start: Math.max(each.start, span.start), end: Math.min(each.end, span.end) }))
