import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { devices } from '#modules/device/schema.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

/** Counts above this number are cached, because the exact number does not matter in a list. */
const KEPT_FROM = 5000
const KEPT_MS = 60_000
/** Maximum age of a count that is returned while a new count runs in the background. */
const SHOWN_MS = 600_000

const kept = new Map<number, { readonly at: number; readonly n: number }>()
const underWay = new Set<number>()

/**
 * Counts the devices of each tenant. Tenants without devices may be absent. With `behind`, large counts are refreshed
 * in the background: only the first request waits, and later requests get the cached count. `behind` must be a database
 * outside any transaction.
 */
export async function countDevicesByTenant(
  db: Db,
  tenantIds: readonly number[],
  behind?: Db,
): Promise<Map<number, number>> {
  const now = Date.now()
  const counts = new Map<number, number>()
  const asked: number[] = []
  const old: number[] = []
  for (const id of tenantIds) {
    const known = kept.get(id)
    const age = known ? now - known.at : Number.POSITIVE_INFINITY
    if (!known || age > (behind ? SHOWN_MS : KEPT_MS)) asked.push(id)
    else counts.set(id, known.n)
    if (known && age > KEPT_MS && !underWay.has(id)) old.push(id)
  }
  if (behind && old.length > 0) void countBehind(behind, old)
  for (const [id, n] of await count(db, asked)) counts.set(id, n)
  return counts
}

async function countBehind(db: Db, ids: readonly number[]) {
  for (const id of ids) underWay.add(id)
  // A failed count is repeated by the next request after the cached count is too old.
  await count(db, ids).catch(() => {})
  for (const id of ids) underWay.delete(id)
}

async function count(db: Db, ids: readonly number[]) {
  if (ids.length === 0) return []
  const rows = await db
    .select({ id: devices.tenantId, n: sql<number>`count(*)::int` })
    .from(devices)
    .where(
      and(ids.length === 1 ? eq(devices.tenantId, ids[0]!) : inArray(devices.tenantId, [...ids]), notDeleted(devices)),
    )
    .groupBy(devices.tenantId)
  const at = Date.now()
  for (const id of ids) kept.delete(id)
  for (const { id, n } of rows) if (n >= KEPT_FROM) kept.set(id, { at, n })
  return rows.map(({ id, n }) => [id, n] as const)
}
