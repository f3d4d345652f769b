import { USAGE_SOURCE, USAGE_UNIT } from '@oms/contract/agent/usage/usage-unit.ts'
import { runTransaction } from '#core/database/transactions.ts'
import { forEachIsolated, hasRunSteadily } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { USAGE_LOCK } from './fold-usage.ts'

const KIND = 'agent-usage-retention'
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
    KIND,
    async (_job, _progress, signal) =>
      (await hasRunSteadily(services, KIND)) ? mergeOldUsage(services, { signal }) : { merged: 0, failedItems: 0 },
    options,
  )
}

interface Merge {
  readonly atOnce?: number
  readonly signal?: AbortSignal
}

/**
 * Merges the use of devices older than `OMS_AGENT_USAGE_DAYS` into sums by day, tenant, agent, model and source. These
 * sums are kept. An interrupted run loses nothing, and the next run continues.
 */
export async function mergeOldUsage(
  { database: { pool }, config, log }: Services,
  { atOnce = AT_ONCE, signal }: Merge = {},
) {
  const { rows: days } = await pool.query<Day>(
    `select distinct day::text as day from agent_usage
     where folded = 1 and device_id > 0 and day < now()::date - $1::int order by 1`,
    [config.agentUsageDays],
  )
  let merged = 0
  const isolation = { log, kind: KIND, name: ({ day }: Day) => ({ day }), signal }
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
