import { PlayReport, type RejectReason, type ReportReply } from '@oms/contract/advertise/device-calls.ts'
import type { Pool } from 'pg'
import { findPlayOwner, loadOwnerships, type ReportingDevice } from './play-owner.ts'
import { type PlayDevice, type PlayRow, buildPlayRow, findTimeProblem, isOutsideDates } from './play-row.ts'
import type { PlayWriter, RejectedPlay } from './play-writer.ts'
import { parseContentIds, type LoggedPlay, toPlayReports } from './smil-log.ts'
import { type PublishedVersions, couldBeDeliveredTo } from '../manifests/published-versions.ts'

interface Parts {
  readonly pool: Pool
  readonly writer: PlayWriter
  readonly versions: PublishedVersions
  readonly retentionDays: number
  readonly dayOf: (ms: number) => string
}

/** A device with the tenants that owned it. */
interface Reporter {
  readonly device: PlayDevice
  readonly ownerships: Awaited<ReturnType<typeof loadOwnerships>>
}

const idOf = (report: unknown) => {
  const id = (report as { reportId?: unknown } | null)?.reportId
  return typeof id === 'string' ? id.slice(0, 64) : ''
}

/** Checks reported plays and stores them. Idempotent; a rejected report never blocks the others. */
export class PlayIngest {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Stores the reports of one device. Resolves after the commit. */
  async take(device: ReportingDevice, reports: readonly unknown[], now: number): Promise<ReportReply> {
    const { pool, versions, writer } = this.#parts
    const rejected: ReportReply['rejected'] = []
    const parsed: PlayReport[] = []
    for (const report of reports) {
      const { data, error } = PlayReport.safeParse(report)
      if (data) parsed.push(data)
      else rejected.push({ reportId: idOf(report), reason: 'invalid', field: error.issues[0]?.path.join('.') ?? '' })
    }
    await versions.load(parsed)
    const ownerships = parsed.length > 0 ? await loadOwnerships(pool, device) : []
    const rows: PlayRow[] = []
    for (const report of parsed) {
      const found = this.#check(report, { device, ownerships }, now)
      if (typeof found === 'string') rejected.push({ reportId: report.reportId, reason: found })
      else rows.push(found)
    }
    const outcomes = await writer.add(rows, countsOf(rejected, device))
    for (const [at, outcome] of outcomes.entries())
      if (outcome === 'overlap') rejected.push({ reportId: rows[at]!.reportId, reason: 'overlap' })
    const count = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length
    return { accepted: count('accepted'), duplicate: count('duplicate'), rejected }
  }

  /** Returns the plays of a SMIL player's log as reports. */
  async smilReports({ deviceId }: PlayDevice, plays: readonly LoggedPlay[], clock: { zone: string; now: number }) {
    const { versions } = this.#parts
    await versions.load(plays.flatMap(({ contentId }) => parseContentIds(contentId) ?? []))
    return toPlayReports(plays, { deviceId, ...clock, plannedOf: (ids) => versions.plannedMs(ids) })
  }

  #check(report: PlayReport, { device, ownerships }: Reporter, now: number): PlayRow | RejectReason {
    const { versions, retentionDays, dayOf } = this.#parts
    const { programId, ver, itemId, adId, adVer, file } = report
    const program = versions.program(programId, ver)
    const materialId = versions.material(adId, adVer, file)
    const item = program?.items.get(itemId)
    if (!program || materialId === undefined || item?.adId !== adId) return 'unknown'
    const tenantId = findPlayOwner(ownerships, program, report)
    if (tenantId === undefined) return 'unknown'
    const { deviceId, modelId } = device
    const owned = { deviceId, modelId, tenantId }
    if (!couldBeDeliveredTo(program, owned)) return 'unknown'
    const planned = (versions.plannedMs(report) ?? item.ms) * report.count
    const problem = findTimeProblem(report, planned, { now, retentionDays })
    if (problem) return problem
    if (isOutsideDates(report, program)) return 'unknown'
    return buildPlayRow(report, owned, { materialId, isTakeover: program.isTakeover, planned, now, dayOf })
  }
}

function countsOf(rejected: ReportReply['rejected'], { deviceId, tenantId }: PlayDevice): RejectedPlay[] {
  const byReason = Map.groupBy(rejected, ({ reason }) => reason)
  return [...byReason].map(([reason, { length }]) => ({ deviceId, tenantId, reason, n: length }))
}
