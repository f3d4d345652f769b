import { sql } from 'drizzle-orm'
import type { Kernel } from '#kernel/kernel.ts'
import { announce } from './notice-audience.ts'

const MINUTE_MS = 60_000
const KEY = 'noticeClock'

interface Due extends Record<string, unknown> {
  noticeId: number
  tenantId: number
  title: string
  target: number
  targetIds: number[]
  begins: boolean
}

/** Registers the minute's look at the clock: notices begin and end by themselves, open consoles must hear of it. */
export function registerNoticeClock(kernel: Kernel) {
  kernel.jobs.register('notice-clock', () => tellTheTime(kernel), { everyMs: MINUTE_MS })
}

/** Announces the notices whose start or end lies between the last look and now. */
export function tellTheTime({ database, events }: Pick<Kernel, 'database' | 'events'>) {
  return database.db.transaction(async (db) => {
    await db.execute(sql`insert into settings (key, value) values (${KEY}, to_jsonb(now())) on conflict do nothing`)
    const { rows } = await db.execute<Due>(sql`
      with last as (select (value #>> '{}')::timestamptz as at from settings where key = ${KEY} for update)
      select notice_id as "noticeId", tenant_id as "tenantId", title, target, target_ids as "targetIds",
        coalesce(start_time > last.at and start_time <= now(), false) as begins
      from notices, last where status = 1 and deleted_at is null
        and ((start_time > last.at and start_time <= now()) or (end_time > last.at and end_time <= now()))`)
    await db.execute(sql`update settings set value = to_jsonb(now()), update_time = now() where key = ${KEY}`)
    for (const { begins, ...notice } of rows) await announce({ events }, db, notice, { withTitle: begins })
    return { announced: rows.length }
  })
}
