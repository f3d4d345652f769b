import { sql } from 'drizzle-orm'
import type { Kernel } from '#kernel/kernel.ts'

const EVERY_MS = 5 * 60_000
export const SPAN = { hour: 1, day: 2 } as const
/** The line that counts all devices: the sum of every customer's best moment would be more than ever were there. */
export const EVERYBODY = 0

export function registerFleetSamples(kernel: Kernel) {
  kernel.jobs.register('fleet-samples', () => sampleFleet(kernel), { everyMs: EVERY_MS })
}

/** Notes how many devices there are and raises the peak of this hour and this day; forgets what is old. */
export async function sampleFleet({ database: { db }, now }: Pick<Kernel, 'database' | 'now'>) {
  const at = now().toISOString()
  await db.execute(sql`
    with counted as materialized (
      select coalesce(tenant_id, ${EVERYBODY}) as tenant_id, count(*)::int as devices,
        count(*) filter (where online = 1)::int as online
      from devices where deleted_at is null group by grouping sets ((), (tenant_id)))
    insert into fleet_samples (span, start, tenant_id, devices, online)
    select s.span, date_trunc(s.unit, ${at}::timestamptz), tenant_id, devices, online
    from counted, (values (${SPAN.hour}::smallint, 'hour'), (${SPAN.day}::smallint, 'day')) s(span, unit)
    on conflict (span, start, tenant_id)
      do update set devices = excluded.devices, online = greatest(fleet_samples.online, excluded.online)`)
  const gone = await db.execute(sql`delete from fleet_samples
    where (span = ${SPAN.hour} and start < ${at}::timestamptz - interval '8 days')
      or (span = ${SPAN.day} and start < ${at}::timestamptz - interval '400 days')`)
  return { forgotten: gone.rowCount ?? 0 }
}
