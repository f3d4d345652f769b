import type { ReportRow } from './report-queue.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Limits of one report that contains the sum of several plays. */
const MAX_COUNT = 3600
const MAX_PLANNED = HOUR_MS

/**
 * Adds up the plays of the oldest days by hour, program, ad and result. The first row of a group keeps its identifier
 * and has the sums. The newest day of the rows stays as it is, because more of its rows may follow.
 */
export function mergePlaysByHour(rows: readonly ReportRow[]): { removed: number[]; changed: ReportRow[] } {
  const newestDay = Math.floor((rows[rows.length - 1]?.start ?? 0) / DAY_MS)
  const groups = new Map<string, ReportRow>()
  const removed: number[] = []
  const changed = new Set<number>()
  const bySeq = new Map<number, ReportRow>()
  for (const row of rows) {
    if (Math.floor(row.start / DAY_MS) >= newestDay) continue
    const key = keyOf(row)
    const sum = groups.get(key)
    if (!sum || sum.count + row.count > MAX_COUNT || sum.planned + row.planned > MAX_PLANNED) {
      groups.set(key, row)
      continue
    }
    const next = { ...sum, ms: sum.ms + row.ms, planned: sum.planned + row.planned, count: sum.count + row.count }
    groups.set(key, next)
    bySeq.set(next.seq, next)
    changed.add(next.seq)
    removed.push(row.seq)
  }
  return { removed, changed: [...changed].map((seq) => bySeq.get(seq)!) }
}

const keyOf = (row: ReportRow) =>
  [
    Math.floor(row.start / HOUR_MS),
    row.sn,
    row.programId,
    row.ver,
    row.itemId,
    row.adId,
    row.adVer,
    row.file,
    row.result,
    row.clock,
    row.error,
  ].join('|')
