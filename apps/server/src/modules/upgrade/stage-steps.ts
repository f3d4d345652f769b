import type { PolicyInput } from '@oms/contract/upgrade-release.ts'
import { and, eq, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { TASK } from '@oms/contract/ota-task.ts'
import type { Db } from '#db/client.ts'
import { otaPolicies, otaStages } from '#db/schema/upgrade.ts'
import { type Held, MODE, STAGE, STATE, type StoredStage } from './release-rows.ts'

type Planned = z.output<typeof PolicyInput>['stages']
type NewStage = typeof otaStages.$inferInsert

/** The stage under way, or the one that failed and holds the release. */
export const currentStage = (stages: readonly StoredStage[]) =>
  stages.find(({ state }) => state === STAGE.running || state === STAGE.failed)

/**
 * The planned stages as rows. What was reached already stays reached: stages below the share of today count as passed,
 * so that publishing anew never takes the version away from a device.
 */
export function plannedStages(otaId: number, planned: Planned, before: readonly StoredStage[], reached: number) {
  const rows = planned.map((stage, at): NewStage => {
    const old = before.find(({ percent }) => percent === stage.percent)
    const isBehind = stage.percent < reached || (stage.percent === reached && old?.state === STAGE.passed)
    const state = !isBehind ? STAGE.waiting : old?.state === STAGE.passed ? STAGE.passed : STAGE.skipped
    const kept = isBehind && old ? pickResult(old) : {}
    return { otaId, seq: at + 1, ...stage, ...kept, state }
  })
  return rows
}

const pickResult = ({ startTime, judgeTime, succeeded, failed }: StoredStage) => ({
  startTime,
  judgeTime,
  succeeded,
  failed,
})

/** The share devices were promised so far. */
export function reachedBy({ policy, stages }: Pick<Held, 'policy' | 'stages'>) {
  const isOut = policy.mode === MODE.formal && (policy.state === STATE.running || policy.state === STATE.paused)
  const begun = stages.some(({ state }) => state !== STAGE.waiting)
  return isOut && (begun || stages.length === 0) ? policy.percent : 0
}

/** The share a release starts with: that of its first stage to come, else its own. */
export const firstShare = (stages: readonly NewStage[], percent: number) =>
  stages.length === 0 ? percent : (stages.find(({ state }) => state === STAGE.waiting)?.percent ?? percent)

/** Starts the next stage that waits, if there is one, and gives the release its share. */
export async function startNextStage(db: Db, otaId: number, from: Date) {
  const [next] = await db
    .select()
    .from(otaStages)
    .where(and(eq(otaStages.otaId, otaId), eq(otaStages.state, STAGE.waiting)))
    .orderBy(otaStages.seq)
    .limit(1)
  if (!next) return undefined
  // Observed from when devices may first get it.
  const startTime = sql`greatest(${from.toISOString()}::timestamptz,
    (select start_time from ota_policies where ota_id = ${otaId}))` as unknown as string
  await db
    .update(otaStages)
    .set({ state: STAGE.running, startTime, judgeTime: null, succeeded: null, failed: null })
    .where(oneStage(next))
  await db.update(otaPolicies).set({ percent: next.percent }).where(eq(otaPolicies.otaId, otaId))
  return next
}

export const oneStage = ({ otaId, seq }: Pick<StoredStage, 'otaId' | 'seq'>) =>
  and(eq(otaStages.otaId, otaId), eq(otaStages.seq, seq))

/**
 * Results since a stage began, the last one of each device. A failure told to try again is judged by what comes of that;
 * what a person pushed to one device says nothing about the release.
 */
export async function resultsSince(db: Db, otaId: number, since: string) {
  const { rows } = await db.execute<{ succeeded: number; failed: number }>(sql`
    select count(*) filter (where state = ${TASK.succeeded})::int as succeeded,
      count(*) filter (where state = ${TASK.failed} and not retried)::int as failed
    from (select distinct on (device_id) state, retried from ota_tasks
      where ota_id = ${otaId} and state in (${TASK.succeeded}, ${TASK.failed}) and close_time >= ${since} and not pushed
      order by device_id, task_id desc) as last`)
  return rows[0] ?? { succeeded: 0, failed: 0 }
}
