import { PlayReport, type RejectReason, type ReportReply, PLAY_CLOCK } from '@oms/contract/advertise/device-calls.ts'
import type { Pool } from 'pg'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { type PublishedVersions, couldBeDeliveredTo, type PublishedProgram } from '../manifests/published-versions.ts'
import {
  type PlayDevice,
  type PlayRow,
  buildPlayRow,
  findTimeProblem,
  isOutsideDates,
  CLOCK_TOLERANCE_MS,
} from './play-row.ts'
import type { PlayWriter, RejectedPlay } from './play-writer.ts'
import { parseContentIds, type LoggedPlay, toPlayReports } from './smil-log.ts'

const OWNERSHIPS = `
  select tenant_id as "tenantId", (extract(epoch from end_time) * 1000)::float8 as "endMs"
  from device_former_tenants where device_id = $1
  union all select tenant_id, null from devices where id = $1
  order by 2 nulls last`

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

/** Device that reports plays. */
export interface ReportingDevice extends PlayDevice {
  /** True when the device may have belonged to another tenant. */
  readonly hasMoved: boolean
}

/** A tenant that owned the device from `from` until `until`, in epoch milliseconds. */
interface Ownership {
  readonly tenantId: number
  readonly from: number
  readonly until: number
}

interface OwnershipRow {
  readonly tenantId: number
  /** Null for the present tenant. */
  readonly endMs: number | null
}

/** Returns the tenants that owned a device, the present one last. */
async function loadOwnerships(
  pool: Pool,
  { deviceId, tenantId, hasMoved }: ReportingDevice,
): Promise<readonly Ownership[]> {
  if (!hasMoved) return [{ tenantId, from: -Infinity, until: Infinity }]
  const { rows } = await pool.query<OwnershipRow>({ name: 'ad-ownerships', text: OWNERSHIPS, values: [deviceId] })
  return rows.map(({ tenantId: owner, endMs }, at) => ({
    tenantId: owner,
    from: rows[at - 1]?.endMs ?? -Infinity,
    until: endMs ?? Infinity,
  }))
}

/**
 * Returns the tenant that a play counts for; undefined when the device did not belong to the tenant of the program. A
 * play of a program of the platform counts for the owner of the device at that time. A play without a trusted clock
 * counts for the present owner. The clock of a player may be slow, so plays of a new owner's programs are accepted up to
 * ten minutes before the move.
 */
export function findPlayOwner(
  ownerships: readonly Ownership[],
  program: Pick<PublishedProgram, 'tenantId'>,
  { start, clock }: Pick<PlayReport, 'start' | 'clock'>,
): number | undefined {
  const isTenantProgram = program.tenantId !== PLATFORM_TENANT_ID
  if (clock === PLAY_CLOCK.untrusted) {
    const present = ownerships.at(-1)?.tenantId
    return !isTenantProgram || present === program.tenantId ? present : undefined
  }
  if (!isTenantProgram) return ownerships.find(({ until }) => start < until)?.tenantId
  const isOwner = ownerships.some(
    ({ tenantId, from, until }) => tenantId === program.tenantId && start >= from - CLOCK_TOLERANCE_MS && start < until,
  )
  return isOwner ? program.tenantId : undefined
}
