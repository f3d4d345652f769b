import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'

/** Maximum number of rows that one run examines. Ids grow with the creation time, so a run need not read all rows. */
const OLDEST = 10_000
const deleteOldest = (table: string, condition: string) =>
  `delete from ${table} where id in (select id from (select * from ${table} order by id limit ${OLDEST}) o where ${condition})`

/**
 * Deletes idempotency keys and keys of counted completions after a day, expired challenges and activation codes, events
 * of voice devices after 90 days, their session tasks after 7 days, voice servers that have not called for 30 days, and
 * login failures. Deletes finished jobs after 14 days and ended sessions after 30 days; ends expired sessions. Of cloud
 * storage, deletes calls of shops and notices after 180 days, and finished early deletions after 30 days. Deletes
 * events of the outbox and their deliveries after 30 days.
 */
const STATEMENTS = [
  `delete from idempotency_keys where create_time < now() - interval '24 hours'`,
  // A count of relayed tokens is repeated for some minutes only.
  `delete from agent_completions where create_time < now() - interval '24 hours'`,
  `delete from challenges where expire_time < now()`,
  `delete from agent_codes where expire_time < now()`,
  `delete from agent_events where id in (select id from agent_events
    where create_time < now() - interval '90 days' order by create_time limit 100000)`,
  // A session that ends again inserts its task again. Tasks that waited for a week belong to a queue that was lost.
  `delete from agent_after where id in (select id from agent_after
    where create_time < now() - interval '7 days' order by create_time limit 100000)`,
  // The console shows voice servers of the last days only. A restarted server adds a row, because its name has its PID.
  `delete from agent_servers where last_time < now() - interval '30 days'`,
  `delete from login_failures where last_time < now() - interval '1 day' and coalesce(lock_until, now()) <= now()
    or last_time > now() + interval '1 day'`,
  `delete from jobs where finish_time < now() - interval '14 days'`,
  `update sessions set end_time = now(), end_reason = 'expired' where end_time is null and expire_time < now()`,
  `delete from sessions where end_time < now() - interval '30 days'`,
  `delete from webhook_deliveries where id in (select id from webhook_deliveries
    where create_time < now() - interval '30 days' order by create_time limit 100000)`,
  `delete from outbox_events where id in (select id from outbox_events
    where create_time < now() - interval '30 days' order by create_time limit 100000)`,
  deleteOldest('oss_hook_events', `create_time < now() - interval '180 days'`),
  // A notice is needed until the announced end, so that the end is announced once.
  deleteOldest('oss_notices', `end_time < now() - interval '180 days'`),
  // Cameras upload a backlog of seven days, which must not restore deleted videos.
  deleteOldest('oss_purges', `state = 1 and done_time < now() - interval '30 days'`),
] as const

export function registerHousekeeping(services: Services) {
  services.jobs.schedule('housekeeping', () => deleteExpired(services), { title: '过期数据清理', cron: '0 17 * * * *' })
}

/** Runs all statements. A failure of one statement does not stop the others. */
export async function deleteExpired(services: Services) {
  const idle = `update sessions set end_time = now(), end_reason = 'idle'
      where end_time is null and last_active_time < now() - make_interval(mins => $1)`
  // Two minutes of tolerance, because last-active times are written up to a minute late.
  const statements = [
    ...STATEMENTS.map((text) => ({ text, values: [] as number[] })),
    { text: idle, values: [services.config.session.idleMinutes + 2] },
  ]
  const isolation = {
    log: services.log,
    kind: 'housekeeping',
    name: ({ text }: { text: string }) => ({ statement: text }),
  }
  const { failed } = await forEachIsolated(statements, isolation, (query) => services.database.pool.query(query))
  return { failedItems: failed.length }
}
