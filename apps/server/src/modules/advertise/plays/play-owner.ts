import { PLAY_CLOCK, type PlayReport } from '@oms/contract/advertise/device-calls.ts'
import type { Pool } from 'pg'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { PublishedProgram } from '../manifests/published-versions.ts'
import { CLOCK_TOLERANCE_MS, type PlayDevice } from './play-row.ts'

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

const OWNERSHIPS = `
  select tenant_id as "tenantId", (extract(epoch from end_time) * 1000)::float8 as "endMs"
  from device_former_tenants where device_id = $1
  union all select tenant_id, null from devices where id = $1
  order by 2 nulls last`

/** Returns the tenants that owned a device, the present one last. */
export async function loadOwnerships(
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
