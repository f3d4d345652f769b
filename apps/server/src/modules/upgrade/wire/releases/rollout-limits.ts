import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { FETCH_WINDOW_MS } from '#modules/device/wire/pacing.ts'
import type { StatementClient } from '#modules/device/wire/write-queue.ts'

/*
 * Enforces the limits of a release over all processes. A transaction that creates a task or starts a download of a
 * limited release locks the release's row as its last lock.
 */

/** Takes one of the tasks that a release may create per minute; false when the limit is reached. */
export async function reserveRolloutTask(db: StatementClient, otaId: number, perMinute: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into ota_paces as p (ota_id, since, handed) values ($1, clock_timestamp(), 1)
     on conflict (ota_id) do update set
       since = case when p.since <= excluded.since - interval '1 minute' then excluded.since else p.since end,
       handed = case when p.since <= excluded.since - interval '1 minute' then 1 else p.handed + 1 end
     where p.handed < $2 or p.since <= excluded.since - interval '1 minute'`,
    [otaId, perMinute],
  )
  return (rowCount ?? 0) > 0
}

/** True when another device may download this version. Simultaneous callers wait until this transaction ends. */
export async function hasDownloadCapacity(db: StatementClient, otaId: number, maxDownloads: number): Promise<boolean> {
  await db.query(
    `insert into ota_paces as p (ota_id, since, handed) values ($1, clock_timestamp(), 0)
     on conflict (ota_id) do update set handed = p.handed`,
    [otaId],
  )
  const { rows } = await db.query<{ fetching: number }>(
    `select count(*)::int as fetching from (select from ota_tasks where ota_id = $1
       and state in (${TASK_STATE_CODE.fetched}, ${TASK_STATE_CODE.downloading}) and update_time > now() - make_interval(secs => $2) limit $3) t`,
    [otaId, FETCH_WINDOW_MS / 1000, maxDownloads],
  )
  return (rows[0]?.fetching ?? 0) < maxDownloads
}
