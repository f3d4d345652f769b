import { sql } from 'drizzle-orm'
import type { Services } from '#core/services.ts'
import { rebuildFleetCounts } from '#modules/device/fleet/fleet-counts.ts'
import type { Db } from '#core/database/client.ts'
import { runSteps } from '#core/jobs/isolated.ts'

export const SAMPLE_SPAN = { hour: 1, day: 2 } as const
/** Tenant id of the sample row for all devices. A sum of the tenants' peaks would exceed the real peak. */
export const ALL_DEVICES_TENANT_ID = 0

const KIND = 'fleet-samples'

export function registerFleetSamples(services: Services) {
  services.jobs.schedule(KIND, () => sampleFleet(services), {
    title: '设备在线采样',
    cron: '50 */5 * * * *',
  })
}

/** Counts the devices. Records their number and the peak of online devices for this hour and day. Deletes old samples. */
export async function sampleFleet({ database, now, log }: Pick<Services, 'database' | 'now' | 'log'>) {
  const at = now().toISOString()
  let forgotten = 0
  const failedItems = await runSteps(
    { log, kind: KIND },
    {
      samples: async () => {
        await rebuildFleetCounts({ database })
        await addSamples(database.db, at)
      },
      oldSamples: async () => (forgotten = await deleteOldSamples(database.db, at)),
    },
  )
  return { forgotten, failedItems }
}

const addSamples = (db: Db, at: string) =>
  db.execute(sql`
    with counted as materialized (
      select coalesce(tenant_id, ${ALL_DEVICES_TENANT_ID}) as tenant_id, coalesce(sum(devices), 0)::int as devices,
        coalesce(sum(online), 0)::int as online
      from fleet_counts group by grouping sets ((), (tenant_id)))
    insert into fleet_samples (span, start, tenant_id, devices, online)
    select s.span, date_trunc(s.unit, ${at}::timestamptz), tenant_id, devices, online
    from counted, (values (${SAMPLE_SPAN.hour}::smallint, 'hour'), (${SAMPLE_SPAN.day}::smallint, 'day')) s(span, unit)
    on conflict (span, start, tenant_id)
      do update set devices = excluded.devices, online = greatest(fleet_samples.online, excluded.online)`)

/** Deletes the samples older than their retention. Returns their number. */
async function deleteOldSamples(db: Db, at: string): Promise<number> {
  const { rowCount } = await db.execute(sql`delete from fleet_samples
    where (span = ${SAMPLE_SPAN.hour} and start < ${at}::timestamptz - interval '8 days')
      or (span = ${SAMPLE_SPAN.day} and start < ${at}::timestamptz - interval '400 days')`)
  return rowCount ?? 0
}
