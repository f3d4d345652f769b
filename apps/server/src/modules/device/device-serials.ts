import { MAX_ROWS } from '@oms/contract/kernel/page.ts'
import { and, desc, lt, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { devices } from '#db/schema/device.ts'
import { contains } from '#kernel/query.ts'
import { alive } from '#kernel/tenancy.ts'

/** Length of the keys of the index `devices_sn_keys`; shorter parts are not found by it. */
export const MIN_KEYED_PART = 4

/**
 * Devices found before older millions are no longer looked into and the total is estimated. Each lies on a page of its own
 * that has to be read, which is most of what a search costs.
 */
const COUNTED = 20

/** Devices with a part in their serials, whoever may see them but for the tenant's wall. */
export interface SerialHits {
  /** All of them from the newest down to `moreBelow`, newest first. */
  readonly ids: readonly number[]
  /** Nothing: there are no more. */
  readonly moreBelow: number | null
  /** How many there may be in all, when there may be more. */
  readonly estimate: number
}

/** Looks from the newest devices to the oldest until there are `wanted`. */
export async function serialHits(db: Db, part: string, wanted: number): Promise<SerialHits> {
  const { rows } = await db.execute<{ ids: number[]; more_below: number | null; estimate: number | null }>(
    sql`select ids, more_below, estimate from oms_serial_hits(${part}, ${wanted})`,
  )
  const [{ ids, more_below: moreBelow, estimate } = { ids: [], more_below: null, estimate: null }] = rows
  return { ids: ids.toSorted((a, b) => b - a), moreBelow, estimate: Math.max(estimate ?? 0, ids.length) }
}

/** All devices with the part, or nothing when there are more than a pager reaches. */
export async function fewWithPart(db: Db, part: string): Promise<readonly number[] | undefined> {
  const { ids, moreBelow } = await serialHits(db, part, MAX_ROWS + 1)
  return moreBelow === null && ids.length <= MAX_ROWS ? ids : undefined
}

/** The ids of one page, newest first, with the total behind it: an estimate where not all were counted. */
export async function pageWithPart(db: Db, part: string, offset: number, size: number) {
  const hits = await serialHits(db, part, Math.max(COUNTED, offset + size))
  const ids = hits.ids.slice(offset, offset + size)
  if (hits.moreBelow === null) return { ids, total: hits.ids.length }
  if (ids.length < size)
    ids.push(...(await walk(db, part, hits.moreBelow, [offset - hits.ids.length, size - ids.length])))
  return { ids, total: Math.max(hits.estimate, offset + ids.length), totalIsEstimate: true as const }
}

/** Where the search stopped for there being very many, the newest are found soonest one by one. */
async function walk(db: Db, part: string, below: number, [offset, limit]: readonly [number, number]) {
  const rows = await db
    .select({ id: devices.id })
    .from(devices)
    // The column is hidden from the trigram index, which would read all devices with the part.
    .where(and(lt(devices.id, below), alive(devices), contains(sql`(${devices.sn} || '')`, part)))
    .orderBy(desc(devices.id))
    .limit(limit)
    .offset(Math.max(0, offset))
  return rows.map(({ id }) => id)
}
