import { sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Db } from '#core/database/client.ts'
import { isDataError } from '#core/database/statements/rows.ts'
import { failedItemCountByJob } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { SELECT_SPENDABLE_USAGE, type SpendableUse, spendMergedUsage } from '../orders/spend-usage.ts'

const KIND = 'agent-usage-fold'
/** Value of `agent_usage.folded` of rows that cannot be merged. */
const SET_ASIDE = 2
/** Maximum number of appended rows that one transaction merges. */
const MAX_MERGED_ROWS = 50_000
/** Advisory lock that lets only one run merge at a time. */
export const USAGE_LOCK = '7302519, 8'

/**
 * Runs every 15 seconds, so that a used-up package stops a device after at most 30 seconds. There are four expressions,
 * because pg-boss runs an expression once a minute.
 */
const EVERY_15_SECONDS = [5, 20, 35, 50].map((second) => `${second} * * * * *`)

/** Registers the job that merges the appended rows of `agent_usage`. */
export function registerUsageMerge(services: Services) {
  const options = { title: '智能体用量汇总', cron: EVERY_15_SECONDS }
  services.jobs.schedule(
    KIND,
    (_job, _progress, signal) => mergeUsage(services.database.db, { signal, log: services.log }),
    options,
  )
}

interface Merge {
  /** Maximum number of rows of one transaction. */
  readonly atOnce?: number
  readonly signal?: AbortSignal
  /** Log for rows that cannot be merged. */
  readonly log?: Logger
}

/**
 * Merges appended rows into one row per day, tenant, agent, device, model, source and unit. Each statement deletes and
 * adds the same amounts, so a sum is exact at any moment. The same transaction spends the use from the grants of
 * orders. An interrupted run therefore spends nothing twice. A row whose values fail is set aside, logged with its id and
 * counted as a failed item; the other rows are merged.
 */
export async function mergeUsage(
  database: Db,
  { atOnce = MAX_MERGED_ROWS, signal, log }: Merge = {},
): Promise<{ merged: number; failedItems: number }> {
  let [merged, failedItems] = [0, 0]
  let size = atOnce
  for (let isDone = false; !isDone; ) {
    signal?.throwIfAborted()
    try {
      const count = await database.transaction((db) => foldSome(db, size))
      merged += count
      isDone = count < size
    } catch (error) {
      if (!isDataError(error)) throw error
      if (size === 1) failedItems += await database.transaction((db) => foldOrSetAside(db, log))
      // Halves the rows until the failing row is alone.
      size = size === 1 ? atOnce : Math.ceil(size / 2)
    }
  }
  return { merged, failedItems }
}

/**
 * Merges the first appended row, or sets it aside when it fails again. Another process may have merged or set aside the
 * failing row in the meantime. Returns the number of rows that were set aside.
 */
async function foldOrSetAside(db: Db, log: Logger | undefined): Promise<number> {
  await db.execute(sql`select pg_advisory_xact_lock(${sql.raw(USAGE_LOCK)})`)
  try {
    await db.transaction((inner) => foldSome(inner, 1))
    return 0
  } catch (error) {
    if (!isDataError(error)) throw error
    const { rows } = await db.execute<{ id: number }>(sql`update agent_usage set folded = ${SET_ASIDE}
      where id = (select min(id) from agent_usage where folded = 0) returning id::float8 as id`)
    for (const { id } of rows) log?.error({ err: error, kind: KIND, usageId: id }, 'a row of use cannot be merged')
    failedItemCountByJob.set(KIND, (failedItemCountByJob.get(KIND) ?? 0) + rows.length)
    return rows.length
  }
}

async function foldSome(db: Db, atOnce: number): Promise<number> {
  await db.execute(sql`select pg_advisory_xact_lock(${sql.raw(USAGE_LOCK)})`)
  const { rows } = await db.execute<{ count: number; uses: SpendableUse[] }>(sql`
    with gone as (
      delete from agent_usage where id in (select id from agent_usage where folded = 0 order by id limit ${atOnce})
      returning *),
    sums as (
      insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, is_estimate, n, cost, folded)
      select day, tenant_id, agent_id, device_id, model_id, source, unit, is_estimate, sum(n), sum(cost), 1 from gone
      group by 1, 2, 3, 4, 5, 6, 7, 8
      on conflict (day, tenant_id, agent_id, device_id, model_id, source, unit, is_estimate) where folded = 1
        do update set n = agent_usage.n + excluded.n, cost = agent_usage.cost + excluded.cost),
    uses as (${SELECT_SPENDABLE_USAGE})
    select (select count(*) from gone)::int as count, coalesce((select json_agg(uses order by at, unit, "deviceId") from uses), '[]') as uses`)
  const { count, uses } = rows[0]!
  await spendMergedUsage(db, uses)
  return count
}
