import { USAGE_SOURCE, USAGE_UNIT } from '@oms/contract/agent/usage/usage-unit.ts'
import { sql } from 'drizzle-orm'
import type { Logger } from 'pino'
import type { Db } from '#core/database/client.ts'
import { isDataError } from '#core/database/statements/rows.ts'
import { runTransaction } from '#core/database/transactions.ts'
import { failedItemCountByJob, forEachIsolated, hasRunSteadily } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { SELECT_SPENDABLE_USAGE, type SpendableUse, spendMergedUsage } from '../orders/spend.ts'

const MERGE_KIND = 'agent-usage-fold'
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
    MERGE_KIND,
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
    for (const { id } of rows)
      log?.error({ err: error, kind: MERGE_KIND, usageId: id }, 'a row of use cannot be merged')
    failedItemCountByJob.set(MERGE_KIND, (failedItemCountByJob.get(MERGE_KIND) ?? 0) + rows.length)
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

const RETENTION_KIND = 'agent-usage-retention'
/** Devices whose use of a day one transaction merges. */
const AT_ONCE = 5000

/**
 * Replaces the use of some devices on a day by their sums without the device, and counts their device days. All use of a
 * device on a day is merged by one statement, so each device day is counted once. Returns the number of devices.
 */
const MERGE_DEVICES = `
  with chosen as (select distinct device_id from agent_usage where folded = 1 and device_id > 0 and day = $1::date
      order by device_id limit $2),
  gone as (delete from agent_usage u using chosen where u.folded = 1 and u.day = $1::date and u.device_id = chosen.device_id
      returning u.*),
  talked as (select * from gone where source = ${USAGE_SOURCE.device}),
  sums as (
    select tenant_id, agent_id, model_id, source, unit, is_estimate, n, cost from gone
    union all select * from (select distinct on (device_id) tenant_id, agent_id, model_id, source,
      ${USAGE_UNIT.deviceDays}::smallint, 0::smallint, 1.0, 0.0 from talked order by device_id, agent_id, model_id) d
    union all select * from (select distinct on (device_id, model_id) tenant_id, agent_id, model_id, source,
      ${USAGE_UNIT.modelDeviceDays}::smallint, 0::smallint, 1.0, 0.0 from talked order by device_id, model_id, agent_id) m),
  added as (
    insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, is_estimate, n, cost, folded)
    select $1::date, tenant_id, agent_id, 0, model_id, source, unit, is_estimate, sum(n), sum(cost), 1 from sums
    group by 2, 3, 5, 6, 7, 8
    on conflict (day, tenant_id, agent_id, device_id, model_id, source, unit, is_estimate) where folded = 1
      do update set n = agent_usage.n + excluded.n, cost = agent_usage.cost + excluded.cost)
  select count(*)::int as n from chosen`

/** Registers the nightly merge of old use. The job merges only after a week of runs, see `hasRunSteadily`. */
export function registerUsageRetention(services: Services) {
  const options = { title: '智能体用量保留期处理', cron: '0 10 4 * * *', keepsRuns: true, timeLimitSeconds: 55 * 60 }
  services.jobs.schedule(
    RETENTION_KIND,
    async (_job, _progress, signal) =>
      (await hasRunSteadily(services, RETENTION_KIND))
        ? mergeOldUsage(services, { signal })
        : { merged: 0, failedItems: 0 },
    options,
  )
}

/**
 * Merges the use of devices older than `OMS_AGENT_USAGE_DAYS` into sums by day, tenant, agent, model and source. These
 * sums are kept. An interrupted run loses nothing, and the next run continues.
 */
export async function mergeOldUsage(
  { database: { pool }, config, log }: Services,
  { atOnce = AT_ONCE, signal }: Omit<Merge, 'log'> = {},
) {
  const { rows: days } = await pool.query<Day>(
    `select distinct day::text as day from agent_usage
     where folded = 1 and device_id > 0 and day < now()::date - $1::int order by 1`,
    [config.agentUsageDays],
  )
  let merged = 0
  const isolation = { log, kind: RETENTION_KIND, name: ({ day }: Day) => ({ day }), signal }
  const { failed } = await forEachIsolated(days, isolation, async ({ day }) => {
    for (let count = atOnce; count === atOnce; merged += count) {
      signal?.throwIfAborted()
      count = await mergeDevices(pool, day, atOnce)
    }
  })
  return { merged, failedItems: failed.length }
}

interface Day {
  readonly day: string
}

async function mergeDevices(pool: Services['database']['pool'], day: string, atOnce: number): Promise<number> {
  return runTransaction(pool, async (client) => {
    await client.query(`select pg_advisory_xact_lock(${USAGE_LOCK})`)
    const { rows } = await client.query<{ n: number }>(MERGE_DEVICES, [day, atOnce])
    return rows[0]!.n
  })
}
