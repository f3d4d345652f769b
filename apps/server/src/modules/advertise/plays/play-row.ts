import { PLAY_CLOCK, PLAY_RESULT, type PlayReport, type RejectReason } from '@oms/contract/advertise/device-calls.ts'

const DAY_MS = 86_400_000
/** Largest difference between a time zone and UTC. */
const ZONES_MS = 14 * 3_600_000
/** Smallest share of the planned time that makes a play complete. */
export const COMPLETE_SHARE = 0.95
const HOUR_MS = 3_600_000
const MAX_INT = 2_147_483_647
/** Largest accepted error of the clock of a player. */
export const CLOCK_TOLERANCE_MS = 600_000
/** Largest accepted time by which a play exceeds its planned time. */
const LONGER_MS = 60_000

/** Device that reports a play. */
export interface PlayDevice {
  readonly deviceId: number
  readonly tenantId: number
  readonly modelId: number
}

/** A validated play, as a parameter of `oms_store_plays`. */
export interface PlayRow extends PlayDevice {
  readonly playDay: string
  readonly reportId: string
  readonly startMs: number
  readonly ms: number
  readonly planned: number
  readonly programId: number
  readonly programVer: number
  readonly itemId: number
  readonly adId: number
  readonly adVer: number
  readonly materialId: number
  readonly result: number
  /** 1 trusted, 0 not. */
  readonly clock: number
  readonly count: number
  /** Start of the hour in epoch milliseconds. */
  readonly hour: number
  /** Day in the console's zone. */
  readonly day: string
  /**
   * True for plays that may overlap others: takeovers, plays that a player summed by hour, and plays without a trusted
   * clock.
   */
  readonly mayOverlap: boolean
  readonly isTakeover: boolean
}

/**
 * Returns the reason to reject a report because of its times; undefined for accepted times. `planned` is the planned
 * duration of all plays of the report in the published version. Only a failed play may have the duration 0.
 */
export function findTimeProblem(
  { start, ms, result, clock, count }: PlayReport,
  planned: number,
  { now, retentionDays }: { readonly now: number; readonly retentionDays: number },
): RejectReason | undefined {
  if (ms < 0 || (ms === 0 && result !== PLAY_RESULT.failed)) return 'duration'
  if (ms > planned + LONGER_MS || (count > 1 && ms > HOUR_MS + LONGER_MS)) return 'duration'
  if (clock === PLAY_CLOCK.untrusted) return undefined
  if (start > now + CLOCK_TOLERANCE_MS) return 'future'
  return start < firstDay(now, retentionDays) ? 'too_old' : undefined
}

/** Returns the start of the oldest UTC day whose plays are kept. */
const firstDay = (now: number, retentionDays: number) => (Math.floor(now / DAY_MS) - retentionDays) * DAY_MS

/** Returns true when a trusted play began before its version was published, or outside the dates in every time zone. */
export function isOutsideDates({ start, clock }: PlayReport, program: Dates): boolean {
  if (clock === PLAY_CLOCK.untrusted) return false
  const { publishedAt, dateFrom, dateTo } = program
  const [first, last] = [Date.parse(`${dateFrom}T00:00:00Z`), Date.parse(`${dateTo}T00:00:00Z`)]
  return start < publishedAt - CLOCK_TOLERANCE_MS || start < first - ZONES_MS || start >= last + 2 * DAY_MS + ZONES_MS
}

interface Dates {
  /** Epoch milliseconds. */
  readonly publishedAt: number
  readonly dateFrom: string
  /** Last date, inclusive. The last daypart of this date may end on the next day. */
  readonly dateTo: string
}

interface Facts {
  /** Planned duration of all plays of the report in the published version, in milliseconds. */
  readonly planned: number
  readonly materialId: number
  readonly isTakeover: boolean
  readonly now: number
  readonly dayOf: (ms: number) => string
}

/** Returns the row of a report. Plays without a trusted clock get the time at which the report arrived. */
export function buildPlayRow(
  report: PlayReport,
  device: PlayDevice,
  { materialId, isTakeover, planned, now, dayOf }: Facts,
): PlayRow {
  const isTrusted = report.clock !== PLAY_CLOCK.untrusted
  const at = isTrusted ? report.start : now
  const { reportId, ver, start, count, ms, programId, itemId, adId, adVer } = report
  const isShort = report.result === PLAY_RESULT.complete && ms < planned * COMPLETE_SHARE
  const result = isShort ? PLAY_RESULT.partial : report.result
  return {
    ...device,
    playDay: new Date(at).toISOString().slice(0, 10),
    reportId: reportId.toLowerCase(),
    startMs: start,
    ms,
    planned: Math.min(planned, MAX_INT),
    programId,
    programVer: ver,
    itemId,
    adId,
    adVer,
    materialId,
    result,
    clock: isTrusted ? 1 : 0,
    count,
    hour: Math.floor(at / HOUR_MS) * HOUR_MS,
    day: dayOf(at),
    isTakeover,
    mayOverlap: isTakeover || count > 1 || !isTrusted,
  }
}

/** Longest permitted overlap of two plays of one device. */
export const MAX_OVERLAP_MS = 2000

/**
 * Splits rows into those without an overlap among themselves and the rest. The earliest of overlapping plays is in the
 * first part.
 */
export function splitOverlaps(rows: readonly PlayRow[]): { apart: PlayRow[]; rest: PlayRow[] } {
  const order = rows.toSorted((a, b) => a.deviceId - b.deviceId || a.startMs - b.startMs)
  const apart: PlayRow[] = []
  const rest: PlayRow[] = []
  let last: PlayRow | undefined
  for (const row of order) {
    if (row.mayOverlap || row.ms <= MAX_OVERLAP_MS) {
      apart.push(row)
      continue
    }
    const overlaps = last?.deviceId === row.deviceId && last.startMs + last.ms - row.startMs > MAX_OVERLAP_MS
    if (overlaps) rest.push(row)
    else apart.push((last = row))
  }
  return { apart, rest }
}
