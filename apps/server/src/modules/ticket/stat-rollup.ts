import { sql } from 'drizzle-orm'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'

/** All values of `dim` in the migration's function. With an explicit list the index finds the days of each value. */
const DIMS = '{1,2,3,4,5,6,7,8,9,11,12,13,14,15}'

/** Registers the scheduled jobs that merge the statistics increments and count the devices. */
export function registerTicketRollups(services: Services) {
  services.jobs.schedule('ticket-rollup', () => rollUpTicketFacts(services), {
    title: '工单统计汇总',
    cron: '10 */15 * * * *',
  })
  services.jobs.schedule('ticket-fleet', () => rebuildFleetCounts(services), {
    title: '工单统计的设备数',
    cron: '15 7 * * * *',
  })
}

/** Merges the increments of each day. Readers see a day either before or after its merge. */
export async function rollUpTicketFacts({ database: { db }, log }: Pick<Services, 'database' | 'log'>) {
  const { rows } = await db.execute<{ day: string }>(
    sql`select distinct day::text as day from ticket_facts where fresh order by day limit 1000`,
  )
  const isolation = { log, kind: 'ticket-rollup', name: ({ day }: { day: string }) => ({ day }) }
  const { done, failed } = await forEachIsolated(rows, isolation, ({ day }) =>
    db.execute(sql`
      with gone as (delete from ticket_facts where day = ${day}::date and dim = any (${DIMS}::smallint[])
        returning dim, day, tenant_id, model_id, key, n, total)
      insert into ticket_facts (dim, day, tenant_id, model_id, key, n, total, fresh)
      select dim, day, tenant_id, model_id, key, sum(n)::int, sum(total)::bigint, false from gone
      group by dim, day, tenant_id, model_id, key having sum(n) <> 0 or sum(total) <> 0`),
  )
  return { days: done, failedItems: failed.length }
}

/** Counts activated devices by tenant, model and firmware. */
export async function rebuildFleetCounts({ database: { db } }: Pick<Services, 'database'>) {
  return db.transaction(async (tx) => {
    await tx.execute(sql`delete from ticket_fleet`)
    const { rowCount } = await tx.execute(sql`
      insert into ticket_fleet (tenant_id, model_id, ver_code, os_ver, devices)
      select tenant_id, model_id, coalesce(ver_code, 0), max(os_ver), count(*)
      from devices where deleted_at is null and activate_time is not null
      group by tenant_id, model_id, coalesce(ver_code, 0)`)
    return { rows: rowCount ?? 0 }
  })
}
