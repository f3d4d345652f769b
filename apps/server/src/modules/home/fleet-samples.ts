import { sql } from 'drizzle-orm'
import type { Services } from '#core/services.ts'
import { rebuildFleetCounts } from '#domain/fleet/fleet-counts.ts'

export const SAMPLE_SPAN = { hour: 1, day: 2 } as const
/** Tenant id of the sample row for all devices. A sum of the tenants' peaks would exceed the real peak. */
export const ALL_DEVICES_TENANT_ID = 0

export function registerFleetSamples(services: Services) {
  services.jobs.schedule('fleet-samples', () => sampleFleet(services), {
    title: '设备在线采样',
    cron: '50 */5 * * * *',
  })
}

/** Counts the devices. Records their number and the peak of online devices for this hour and day. Deletes old samples. */
export async function sampleFleet({ database, now }: Pick<Services, 'database' | 'now'>) {
  await rebuildFleetCounts({ database })
  const { db } = database
  const at = now().toISOString()
  await db.execute(sql`
    with counted as materialized (
      select coalesce(tenant_id, ${ALL_DEVICES_TENANT_ID}) as tenant_id, coalesce(sum(devices), 0)::int as devices,
        coalesce(sum(online), 0)::int as online
      from fleet_counts group by grouping sets ((), (tenant_id)))
    insert into fleet_samples (span, start, tenant_id, devices, online)
    select s.span, date_trunc(s.unit, ${at}::timestamptz), tenant_id, devices, online
    from counted, (values (${SAMPLE_SPAN.hour}::smallint, 'hour'), (${SAMPLE_SPAN.day}::smallint, 'day')) s(span, unit)
    on conflict (span, start, tenant_id)
      do update set devices = excluded.devices, online = greatest(fleet_samples.online, excluded.online)`)
  const gone = await db.execute(sql`delete from fleet_samples
    where (span = ${SAMPLE_SPAN.hour} and start < ${at}::timestamptz - interval '8 days')
      or (span = ${SAMPLE_SPAN.day} and start < ${at}::timestamptz - interval '400 days')`)
  return { forgotten: gone.rowCount ?? 0 }
}
