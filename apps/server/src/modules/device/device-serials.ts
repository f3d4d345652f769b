import { MAX_ROWS } from '@oms/contract/core/page.ts'
import { and, desc, lt, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { devices } from '#schema/device.ts'
import { contains } from '#core/database/lists/list-query.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

/** Key length of the index `devices_sn_keys`. The index does not find shorter parts. */
export const MIN_INDEXED_LENGTH = 4

/**
 * Number of matches after which older millions are not searched and the total is estimated. Each match is on a
 * separate disk page, which is most of the cost.
 */
const COUNTED = 20

/** Devices whose serials contain a part. Only row-level security limits the result. */
export interface FoundSerials {
  /** Ids of all matches from the newest down to `moreBelow`, newest first. */
  readonly ids: readonly number[]
  /** Id below which more matches may exist; null when there are none. */
  readonly moreBelow: number | null
  /** Estimated total when more matches may exist. */
  readonly estimate: number
}

/** Searches from the newest to the oldest devices until `wanted` matches are found. */
export async function findSerials(db: Db, part: string, wanted: number): Promise<FoundSerials> {
  const { rows } = await db.execute<{ ids: number[]; more_below: number | null; estimate: number | null }>(
    sql`select ids, more_below, estimate from oms_serial_hits(${part}, ${wanted})`,
  )
  const [{ ids, more_below: moreBelow, estimate } = { ids: [], more_below: null, estimate: null }] = rows
  return { ids: ids.toSorted((a, b) => b - a), moreBelow, estimate: Math.max(estimate ?? 0, ids.length) }
}

/** Returns all devices with the part, or undefined when there are more than a pager reaches. */
export async function findIdsBySerialPart(db: Db, part: string): Promise<readonly number[] | undefined> {
  const { ids, moreBelow } = await findSerials(db, part, MAX_ROWS + 1)
  return moreBelow === null && ids.length <= MAX_ROWS ? ids : undefined
}

/**
 * Returns the ids of one page, newest first, with the total. The total is an estimate when the search stopped early.
 */
export async function findPageBySerialPart(db: Db, part: string, offset: number, size: number) {
  const hits = await findSerials(db, part, Math.max(COUNTED, offset + size))
  const ids = hits.ids.slice(offset, offset + size)
  if (hits.moreBelow === null) return { ids, total: hits.ids.length }
  if (ids.length < size)
    ids.push(...(await walk(db, part, hits.moreBelow, [offset - hits.ids.length, size - ids.length])))
  return { ids, total: Math.max(hits.estimate, offset + ids.length), totalIsEstimate: true as const }
}

/** Finds the newest matches of a very frequent part by reading ids in descending order. */
async function walk(db: Db, part: string, below: number, [offset, limit]: readonly [number, number]) {
  const rows = await db
    .select({ id: devices.id })
    .from(devices)
    // The expression prevents the use of the trigram index, which would read all matching devices.
    .where(and(lt(devices.id, below), notDeleted(devices), contains(sql`(${devices.sn} || '')`, part)))
    .orderBy(desc(devices.id))
    .limit(limit)
    .offset(Math.max(0, offset))
  return rows.map(({ id }) => id)
}
