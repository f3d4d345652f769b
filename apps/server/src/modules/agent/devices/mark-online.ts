import type { Pool } from 'pg'

/**
 * Locks rows in the order of ids, as the writer of polls does, to prevent deadlocks. Skips devices that were marked
 * within ten minutes.
 */
const ONLINE = `with held as materialized (select id from devices where id = any($1::int[]) and deleted_at is null
      and (online = 0 or coalesce(last_online_time, '-infinity') < now() - interval '10 minutes')
    order by id for no key update)
  update devices d set online = 1, last_online_time = now(), activate_time = coalesce(d.activate_time, now())
  from held where d.id = held.id`

/**
 * Marks voice devices online when they talk. A voice device polls only at boot, so boots alone would show it offline.
 */
export const markOnline = (pool: Pool, deviceIds: readonly number[]) =>
  pool.query({ name: 'agent-online', text: ONLINE, values: [deviceIds] })
