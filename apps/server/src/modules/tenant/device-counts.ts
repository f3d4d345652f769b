import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { devices } from '#db/schema/device.ts'
import { alive } from '#kernel/tenancy.ts'

/** A count beyond this is kept for a while: a hundred thousand devices more or less are not seen in a list. */
const KEPT_FROM = 5000
const KEPT_MS = 60_000

const kept = new Map<number, { readonly at: number; readonly n: number }>()

/** How many devices each of these customers has; those with none may be absent. */
export async function deviceCounts(db: Db, tenantIds: readonly number[]): Promise<Map<number, number>> {
  const now = Date.now()
  const counts = new Map<number, number>()
  const asked: number[] = []
  for (const id of tenantIds) {
    const known = kept.get(id)
    if (known && now - known.at < KEPT_MS) counts.set(id, known.n)
    else asked.push(id)
  }
  if (asked.length === 0) return counts
  const rows = await db
    .select({ id: devices.tenantId, n: sql<number>`count(*)::int` })
    .from(devices)
    .where(and(asked.length === 1 ? eq(devices.tenantId, asked[0]!) : inArray(devices.tenantId, asked), alive(devices)))
    .groupBy(devices.tenantId)
  for (const { id, n } of rows) {
    counts.set(id, n)
    if (n >= KEPT_FROM) kept.set(id, { at: now, n })
  }
  return counts
}
