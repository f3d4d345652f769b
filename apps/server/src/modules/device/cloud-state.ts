import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'

/**
 * Stores the cloud-storage state of App accounts from the queues of their devices: 0 none, 1 in force or waiting, 2
 * expired. `now` is in seconds. Call this function after every change of the queues or the devices of an account.
 */
export async function saveCloudStates(db: Db, accountIds: readonly number[], now: number): Promise<void> {
  if (accountIds.length === 0) return
  await db.execute(sql`
    update app_accounts a set cloud_state = s.state from (
      select x.uid, case
        when bool_or(q.suspended = 1 or q.end_time > to_timestamp(${now}::float8)) then 1
        when bool_or(q.end_time is not null) then 2
        else 0 end as state
      from unnest(${sql.param([...accountIds])}::int[]) as x (uid)
      join app_accounts o on o.uid = x.uid
      left join devices d on d.app_account_id = x.uid and d.tenant_id = o.tenant_id and d.deleted_at is null
      left join oss_queues q on q.device_id = d.id
      group by 1) s
    where a.uid = s.uid and a.cloud_state <> s.state`)
}

/** Stores the cloud-storage state of the App accounts that own these devices. `now` is in seconds. */
export async function saveCloudStatesOfDevices(db: Db, deviceIds: readonly number[], now: number): Promise<void> {
  const { rows } = await db.execute<{ uid: number }>(sql`select distinct app_account_id as uid from devices
    where id = any(${sql.param([...deviceIds])}::int[]) and app_account_id is not null`)
  await saveCloudStates(
    db,
    rows.map(({ uid }) => uid),
    now,
  )
}
