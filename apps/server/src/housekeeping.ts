import type { Kernel } from '#kernel/kernel.ts'

const HOUR_MS = 60 * 60 * 1000

/** Removes what has served its time: idempotency keys after a day, challenges, failures, finished jobs, dead sessions. */
const STATEMENTS = [
  `delete from idempotency_keys where create_time < now() - interval '24 hours'`,
  `delete from challenges where expire_time < now()`,
  `delete from login_failures where last_time < now() - interval '1 day' and coalesce(lock_until, now()) <= now()
    or last_time > now() + interval '1 day'`,
  `delete from jobs where finish_time < now() - interval '14 days'`,
  `update sessions set end_time = now(), end_reason = 'expired' where end_time is null and expire_time < now()`,
  `delete from sessions where end_time < now() - interval '30 days'`,
] as const

export function registerHousekeeping(kernel: Kernel) {
  const run = async () => {
    for (const statement of STATEMENTS) await kernel.database.pool.query(statement)
    const idle = `update sessions set end_time = now(), end_reason = 'idle'
      where end_time is null and last_active_time < now() - make_interval(mins => $1)`
    // Two minutes of grace: last-active times are written a minute late.
    await kernel.database.pool.query(idle, [kernel.config.session.idleMinutes + 2])
  }
  kernel.jobs.register('housekeeping', run, { everyMs: HOUR_MS })
}
