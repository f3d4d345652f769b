import { sql } from 'drizzle-orm'
import type { Kernel } from '#kernel/kernel.ts'

const HOUR_MS = 3_600_000
/** Every `dim` of the migration's function: named one by one, the index leads to a day of each. */
const DIMS = '{1,2,3,4,5,6,7,8,9,11,12,13,14,15}'

/** Registers what keeps statistics quick: differences added up, and the fleet counted. */
export function registerTicketRollups(kernel: Kernel) {
  kernel.jobs.register('ticket-rollup', () => rollUp(kernel), { everyMs: HOUR_MS / 4 })
  kernel.jobs.register('ticket-fleet', () => countFleet(kernel), { everyMs: HOUR_MS })
}

/** Adds up the differences of every day that has some. Readers see all of a day before it, or all of it after. */
export async function rollUp({ database: { db } }: Pick<Kernel, 'database'>) {
  const { rows } = await db.execute<{ day: string }>(
    sql`select distinct day::text as day from ticket_facts where fresh order by day limit 1000`,
  )
  for (const { day } of rows)
    await db.execute(sql`
      with gone as (delete from ticket_facts where day = ${day}::date and dim = any (${DIMS}::smallint[])
        returning dim, day, tenant_id, model_id, key, n, total)
      insert into ticket_facts (dim, day, tenant_id, model_id, key, n, total, fresh)
      select dim, day, tenant_id, model_id, key, sum(n)::int, sum(total)::bigint, false from gone
      group by dim, day, tenant_id, model_id, key having sum(n) <> 0 or sum(total) <> 0`)
  return { days: rows.length }
}

/** Counts activated devices by customer, model and firmware. */
export async function countFleet({ database: { db } }: Pick<Kernel, 'database'>) {
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
