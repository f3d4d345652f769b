import type { ReleaseInput } from '@oms/contract/upgrade/upgrade-release.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { Db } from '#core/database/client.ts'
import { otaPolicies, otaStages } from '../schema.ts'
import { type LockedRelease, RELEASE_MODE, STAGE_STATE, RELEASE_STATE_CODE, type StoredStage } from './release-rows.ts'

type Planned = z.output<typeof ReleaseInput>['stages']
type NewStage = typeof otaStages.$inferInsert

/** Returns the active stage, or the failed stage that paused the release. */
export const findCurrentStage = (stages: readonly StoredStage[]) =>
  stages.find(({ state }) => state === STAGE_STATE.running || state === STAGE_STATE.failed)

/**
 * Converts the planned stages to rows. Stages up to the reached percentage count as passed. Publishing again
 * therefore never withdraws the version from a device.
 */
export function buildStages(otaId: number, planned: Planned, before: readonly StoredStage[], reached: number) {
  const rows = planned.map((stage, at): NewStage => {
    const old = before.find(({ percent }) => percent === stage.percent)
    const isBehind = stage.percent < reached || (stage.percent === reached && old?.state === STAGE_STATE.passed)
    const state = !isBehind
      ? STAGE_STATE.waiting
      : old?.state === STAGE_STATE.passed
        ? STAGE_STATE.passed
        : STAGE_STATE.skipped
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

/** Returns the highest percentage that the release has reached. */
export function computeReachedPercent({ policy, stages }: Pick<LockedRelease, 'policy' | 'stages'>) {
  const isOut =
    policy.mode === RELEASE_MODE.formal &&
    (policy.state === RELEASE_STATE_CODE.running || policy.state === RELEASE_STATE_CODE.paused)
  const begun = stages.some(({ state }) => state !== STAGE_STATE.waiting)
  return isOut && (begun || stages.length === 0) ? policy.percent : 0
}

/**
 * Returns the initial percentage of a release: the percentage of its first waiting stage. Without a waiting stage,
 * returns `percent`.
 */
export const findFirstPercent = (stages: readonly NewStage[], percent: number) =>
  stages.length === 0 ? percent : (stages.find(({ state }) => state === STAGE_STATE.waiting)?.percent ?? percent)

/** Starts the next waiting stage, if any, and sets the percentage of the release. */
export async function startNextStage(db: Db, otaId: number, from: Date) {
  const [next] = await db
    .select()
    .from(otaStages)
    .where(and(eq(otaStages.otaId, otaId), eq(otaStages.state, STAGE_STATE.waiting)))
    .orderBy(otaStages.seq)
    .limit(1)
  if (!next) return undefined
  // The observation starts when devices may first get the version.
  const startTime = sql`greatest(${from.toISOString()}::timestamptz,
    (select start_time from ota_policies where ota_id = ${otaId}))` as unknown as string
  await db
    .update(otaStages)
    .set({ state: STAGE_STATE.running, startTime, judgeTime: null, succeeded: null, failed: null })
    .where(buildStageCondition(next))
  await db.update(otaPolicies).set({ percent: next.percent }).where(eq(otaPolicies.otaId, otaId))
  return next
}

export const buildStageCondition = ({ otaId, seq }: Pick<StoredStage, 'otaId' | 'seq'>) =>
  and(eq(otaStages.otaId, otaId), eq(otaStages.seq, seq))

/**
 * Counts the last result of each device since a stage began. A success counts while the device runs the version or a
 * newer one. A retried failure counts by the result of the retry. Tasks that a person pushed do not count.
 */
export const countResultsSince = (db: Db, otaId: number, since: string) => countResultsWithin(db, otaId, { since })

interface Period {
  readonly since: string
  readonly until?: string | null
  /** Condition for the tasks that count, such as tasks of visible devices. */
  readonly which?: SQL | undefined
}

export async function countResultsWithin(db: Db, otaId: number, { since, until, which }: Period) {
  const before = until ? sql`and close_time <= ${until}` : sql``
  const { rows } = await db.execute<{ succeeded: number; failed: number }>(sql`
    select count(*) filter (where state = ${TASK_STATE_CODE.succeeded}
        and last.ver_code <= case when last.package_name = '' then d.ver_code else p.ver_code end)::int as succeeded,
      count(*) filter (where state = ${TASK_STATE_CODE.failed} and not retried)::int as failed
    from (select distinct on (device_id) state, retried, device_id, package_name, ver_code from ota_tasks
      where ota_id = ${otaId} and state in (${TASK_STATE_CODE.succeeded}, ${TASK_STATE_CODE.failed}) and close_time >= ${since} ${before} and not pushed
        and ${which ?? sql`true`}
      order by device_id, task_id desc) as last
    left join devices d on d.id = last.device_id
    left join device_packages p on p.device_id = last.device_id and p.package_name = last.package_name`)
  return rows[0] ?? { succeeded: 0, failed: 0 }
}
