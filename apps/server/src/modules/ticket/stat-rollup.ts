import { sql } from 'drizzle-orm'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'

/** All values of `dim` in the migration's function. With an explicit list the index finds the days of each value. */
const DIMS = '{1,2,3,4,5,6,7,8,9,11,12,13,14,15}'

/** Registers the scheduled job that merges the statistics increments. */
export function registerTicketRollups(services: Services) {
  services.jobs.schedule('ticket-rollup', () => rollUpTicketFacts(services), {
    title: '工单统计汇总',
    cron: '10 */15 * * * *',
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
