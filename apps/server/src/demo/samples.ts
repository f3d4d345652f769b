import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

/**
 * Creates the samples of online devices that the scheduled job would have written: by hour for a day, by day for
 * ninety days. Numbers are lower at night and on weekends and grow slowly.
 */
export async function createDemoSamples(tx: Db) {
  await tx.execute(sql`
    with fleet as (
      select coalesce(tenant_id, 0) as tenant_id, count(*) as devices, count(*) filter (where online = 1) as online
      from devices where deleted_at is null group by grouping sets ((), (tenant_id))),
    hours as (
      select 1::smallint as span, h as start,
        0.72 + 0.26 * sin((extract(hour from h) - 8) / 24.0 * 2 * pi()) + 0.02 * (extract(hour from h)::int % 3) as share
      from generate_series(date_trunc('hour', now()) - interval '47 hours', date_trunc('hour', now()) - interval '1 hour',
        '1 hour') h),
    days as (
      select 2::smallint as span, d as start,
        (0.62 + 0.36 * (90 - extract(day from date_trunc('day', now()) - d)) / 90.0)
          * case when extract(isodow from d) >= 6 then 0.93 else 1 end as share
      from generate_series(date_trunc('day', now()) - interval '89 days', date_trunc('day', now()) - interval '1 day',
        '1 day') d)
    insert into fleet_samples (span, start, tenant_id, devices, online)
    select span, start, tenant_id, devices, round(online * least(1, share))::int
    from fleet, (select * from hours union all select * from days) s`)
}
