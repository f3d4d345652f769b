import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { SPENDABLE_USES, type SpendableUse, spendMergedUsage } from '../orders/spend-usage.ts'

/** Maximum number of appended rows that one transaction merges. */
const AT_ONCE = 50_000
/** Advisory lock that lets only one run merge at a time. */
const LOCK = '7302519, 8'

/**
 * Runs every 15 seconds, so that a used-up package stops a device after at most 30 seconds. There are four expressions,
 * because pg-boss runs an expression once a minute.
 */
const EVERY_15_SECONDS = [5, 20, 35, 50].map((second) => `${second} * * * * *`)

/** Registers the job that merges the appended rows of `agent_usage`. */
export function registerUsageFold(services: Services) {
  const options = { title: '智能体用量汇总', cron: EVERY_15_SECONDS }
  services.jobs.schedule(
    'agent-usage-fold',
    (_job, _progress, signal) => foldUsage(services.database.db, { signal }),
    options,
  )
}

/**
 * Merges appended rows into one row per day, tenant, agent, device, model, source and unit. Each statement deletes and
 * adds the same amounts, so a sum is exact at any moment. The same transaction spends the use from the grants of
 * orders. An interrupted run therefore spends nothing twice.
 */
export async function foldUsage(
  database: Db,
  { atOnce = AT_ONCE, signal }: { readonly atOnce?: number; readonly signal?: AbortSignal } = {},
): Promise<{ merged: number }> {
  let merged = 0
  for (let count = atOnce; count === atOnce; merged += count) {
    signal?.throwIfAborted()
    count = await database.transaction((db) => foldSome(db, atOnce))
  }
  return { merged }
}

async function foldSome(db: Db, atOnce: number): Promise<number> {
  await db.execute(sql`select pg_advisory_xact_lock(${sql.raw(LOCK)})`)
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
    uses as (${SPENDABLE_USES})
    select (select count(*) from gone)::int as count, coalesce((select json_agg(uses order by at, unit, "deviceId") from uses), '[]') as uses`)
  const { count, uses } = rows[0]!
  await spendMergedUsage(db, uses)
  return count
}
