import { TASK } from '@oms/contract/ota-task.ts'
import { FETCHING_MS } from './pacing.ts'
import type { Querying } from './writes.ts'

/*
 * The limits of a release hold over all processes: whoever makes a task or begins a download of a limited release takes
 * its turn in the transaction that does so. The row of the release is the last lock such a transaction takes.
 */

/** Takes one of the tasks a release may hand out in a minute; false: they are used up. */
export async function takeTurn(db: Querying, otaId: number, perMinute: number): Promise<boolean> {
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

/** May one more device fetch this version? Whoever asks too waits until the transaction of this one has ended. */
export async function hasPlace(db: Querying, otaId: number, maxDownloads: number): Promise<boolean> {
  await db.query(
    `insert into ota_paces as p (ota_id, since, handed) values ($1, clock_timestamp(), 0)
     on conflict (ota_id) do update set handed = p.handed`,
    [otaId],
  )
  const { rows } = await db.query<{ fetching: number }>(
    `select count(*)::int as fetching from (select from ota_tasks where ota_id = $1
       and state in (${TASK.fetched}, ${TASK.downloading}) and update_time > now() - make_interval(secs => $2) limit $3) t`,
    [otaId, FETCHING_MS / 1000, maxDownloads],
  )
  return (rows[0]?.fetching ?? 0) < maxDownloads
}
