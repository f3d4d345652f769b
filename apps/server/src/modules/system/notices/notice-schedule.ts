import { sql } from 'drizzle-orm'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import type { Services } from '#core/services.ts'
import { publishNotice } from './notice-audience.ts'

const KEY = 'noticeClock'

interface Due extends Record<string, unknown> {
  noticeId: number
  tenantId: number
  title: string
  target: number
  targetIds: number[]
  begins: boolean
}

/** Registers the job that notifies open consoles every minute of notices that start or end. */
export function registerNoticeSchedule(services: Services) {
  services.jobs.schedule('notice-clock', () => publishDueNotices(services), {
    title: '公告生效与到期',
    cron: '0 * * * * *',
  })
}

/** Publishes the notices whose start or end is between the last run and now. */
export function publishDueNotices({ database, events, log }: Pick<Services, 'database' | 'events' | 'log'>) {
  return database.db.transaction(async (db) => {
    await db.execute(sql`insert into settings (key, value) values (${KEY}, to_jsonb(now())) on conflict do nothing`)
    const { rows } = await db.execute<Due>(sql`
      with last as (select (value #>> '{}')::timestamptz as at from settings where key = ${KEY} for update)
      select notice_id as "noticeId", tenant_id as "tenantId", title, target, target_ids as "targetIds",
        coalesce(start_time > last.at and start_time <= now(), false) as begins
      from notices, last where status = 1 and deleted_at is null
        and ((start_time > last.at and start_time <= now()) or (end_time > last.at and end_time <= now()))`)
    await db.execute(sql`update settings set value = to_jsonb(now()), update_time = now() where key = ${KEY}`)
    const isolation = { log, kind: 'notice-clock', name: ({ noticeId }: Due) => ({ noticeId }) }
    const { done, failed } = await forEachIsolated(rows, isolation, ({ begins, ...notice }) =>
      db.transaction((tx) => publishNotice({ events }, tx, notice, { withTitle: begins })),
    )
    return { announced: done, failedItems: failed.length }
  })
}
