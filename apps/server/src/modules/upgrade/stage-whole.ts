import { sql } from 'drizzle-orm'
import type { Kernel } from '#kernel/kernel.ts'
import { STAGE } from './release-rows.ts'
import { resultsSince } from './stage-steps.ts'

/** Every device is looked at: not more often than this for one release. */
const AGAIN_MS = 60_000
const lookedAt = new Map<number, number>()

interface Few {
  readonly since: string
  readonly minReports: number
}

/**
 * Has every device that gets the version in this stage said how it went? Asked only where a stage had its time and has
 * too few results: there may be no more devices to wait for.
 */
export async function allAnswered({ database, fleet }: Pick<Kernel, 'database' | 'fleet'>, otaId: number, now: Date) {
  const { db } = database
  if (Math.abs(now.getTime() - (lookedAt.get(otaId) ?? 0)) < AGAIN_MS) return false
  const { rows } = await db.execute<{ since: string; minReports: number } & Record<string, unknown>>(sql`
    select s.start_time as since, s.min_reports as "minReports" from ota_stages s
    where s.ota_id = ${otaId} and s.state = ${STAGE.running}
      and s.start_time <= ${now.toISOString()}::timestamptz - make_interval(mins => s.min_minutes)
      and not exists (select from ota_tasks t where t.ota_id = s.ota_id and t.state < 100 and t.close_time is null)`)
  const few: Few | undefined = rows[0]
  if (!few) return false
  const { succeeded, failed } = await resultsSince(db, otaId, few.since)
  if (succeeded + failed >= few.minReports) return false
  if (lookedAt.size > 10_000) lookedAt.clear()
  lookedAt.set(otaId, now.getTime())
  await fleet.sync()
  // Devices that only wait for the hour are devices to wait for.
  const rule = await fleet.ruleOf(otaId, { dailyStart: null, dailyEnd: null, startAt: null })
  if (!rule) return false
  const { count, busy } = await fleet.survey(rule, now, { sample: 0 })
  return count === 0 && busy === 0
}
