import { sql } from 'drizzle-orm'
import type { Services } from '#core/services.ts'
import { STAGE_STATE } from './release-rows.ts'
import { countResultsSince } from './stage-steps.ts'

/** Minimum interval between two checks of one release, because each check visits every device. */
const AGAIN_MS = 60_000
const lookedAt = new Map<number, number>()

interface Few {
  readonly since: string
  readonly minReports: number
}

/**
 * True when every device that gets the version in this stage has reported. Called only for a stage that is due and
 * has too few results.
 */
export async function haveAllStageDevicesReported(
  { database, fleet }: Pick<Services, 'database' | 'fleet'>,
  otaId: number,
  now: Date,
) {
  const { db } = database
  if (Math.abs(now.getTime() - (lookedAt.get(otaId) ?? 0)) < AGAIN_MS) return false
  const { rows } = await db.execute<{ since: string; minReports: number } & Record<string, unknown>>(sql`
    select s.start_time as since, s.min_reports as "minReports" from ota_stages s
    where s.ota_id = ${otaId} and s.state = ${STAGE_STATE.running}
      and s.start_time <= ${now.toISOString()}::timestamptz - make_interval(mins => s.min_minutes)
      and not exists (select from ota_tasks t where t.ota_id = s.ota_id and t.state < 100 and t.close_time is null)`)
  const few: Few | undefined = rows[0]
  if (!few) return false
  const { succeeded, failed } = await countResultsSince(db, otaId, few.since)
  if (succeeded + failed >= few.minReports) return false
  if (lookedAt.size > 10_000) lookedAt.clear()
  lookedAt.set(otaId, now.getTime())
  await fleet.sync()
  // Devices outside their daily window or before the start time still count as waiting.
  const rule = await fleet.ruleOf(otaId, { dailyStart: null, dailyEnd: null, startAt: null })
  if (!rule) return false
  const { count, busy } = await fleet.dryRun(rule, now, { sample: 0 })
  return count === 0 && busy === 0
}
