import { roundToTwoDigits } from '@oms/contract/core/percent.ts'
import { formatRolloutPercentage } from '@oms/contract/upgrade/release-plan.ts'
import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { ReleaseInput } from '@oms/contract/upgrade/upgrade-release.ts'
import { and, eq, gt, gte, sql, type SQL } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { forEachIsolated } from '#core/jobs/isolated.ts'
import { notices } from '#core/schema/system.ts'
import type { Services } from '#core/services.ts'
import {
  RELEASE_MODE,
  formatVersionName,
  STAGE_STATE,
  RELEASE_STATE_CODE,
  type StoredPolicy,
  type StoredStage,
  publishReleaseChanged,
  publishReleaseEvent,
  type LockedRelease,
} from './release.ts'
import { otaVersions, otaAlarms, otaPolicies, otaStages } from './schema.ts'

/** Four expressions, because pg-boss runs a cron expression at most once a minute. */
const EVERY_15_SECONDS = [0, 15, 30, 45].map((second) => `${second} * * * * *`)
const ALARM = { paused: 2, wrongDigest: 3 } as const

/** Registers the scheduled evaluation of active stages. */
export function registerStageSchedule(services: Services) {
  const work = () => evaluateStages(services, services.now())
  services.jobs.schedule('ota-stages', work, { title: '发布阶段评判', cron: EVERY_15_SECONDS, timeLimitSeconds: 120 })
}

/** Evaluates every active stage that is due, each in its own transaction. */
export async function evaluateStages(services: Pick<Services, 'database' | 'events' | 'fleet' | 'log'>, now: Date) {
  const { db } = services.database
  const { rows } = await db.execute<{ otaId: number }>(sql`
    select s.ota_id as "otaId" from ota_stages s join ota_policies p on p.ota_id = s.ota_id
    where s.state = ${STAGE_STATE.running} and p.state = ${RELEASE_STATE_CODE.running} and p.mode = ${RELEASE_MODE.formal} order by s.ota_id`)
  let evaluated = 0
  const isolation = { log: services.log, kind: 'ota-stages', name: ({ otaId }: { otaId: number }) => ({ otaId }) }
  const { failed } = await forEachIsolated(rows, isolation, async ({ otaId }) => {
    const isWhole = await haveAllStageDevicesReported(services, otaId, now)
    if (await db.transaction((tx) => evaluate(services, tx, { otaId, now, isWhole }))) evaluated += 1
  })
  return { evaluated, failedItems: failed.length }
}

interface Look {
  readonly otaId: number
  readonly now: Date
  /** True when every device of the stage has reported a result. */
  readonly isWhole: boolean
}

/**
 * Evaluates one release under a row lock. Skips a release that another process has locked; the next run evaluates
 * that release.
 */
async function evaluate(services: Pick<Services, 'events'>, db: Db, { otaId, now, isWhole }: Look): Promise<boolean> {
  const running = and(
    eq(otaPolicies.otaId, otaId),
    eq(otaPolicies.state, RELEASE_STATE_CODE.running),
    eq(otaPolicies.mode, RELEASE_MODE.formal),
  )
  const [policy] = await db.select().from(otaPolicies).where(running).for('update', { skipLocked: true })
  if (!policy) return false
  const [stage] = await db
    .select()
    .from(otaStages)
    .where(and(eq(otaStages.otaId, otaId), eq(otaStages.state, STAGE_STATE.running)))
  if (!stage?.startTime) return false
  const found = { ...(await lookAt(db, stage, policy, now)), isWhole }
  const verdict = verdictOf(stage, found)
  if (!verdict) return false
  const { succeeded, failed } = found
  const result = { succeeded, failed, judgeTime: now.toISOString() }
  if (verdict === 'passed') await pass(services, db, { policy, stage, result, now })
  else await hold(services, db, { policy, stage, result, now }, verdict)
  return true
}

interface Findings {
  readonly succeeded: number
  readonly failed: number
  /** Minutes since the stage began. */
  readonly minutes: number
  /** Minutes since the stage began or since a person last changed the release. Time in a pause does not count. */
  readonly waited: number
  readonly isLast: boolean
  readonly isWhole: boolean
  /** True when a device reported a digest mismatch. */
  readonly wrongDigest: boolean
}

async function lookAt(db: Db, { otaId, seq, startTime }: StoredStage, { updateTime }: StoredPolicy, now: Date) {
  const since = startTime as string
  const results = await countResultsSince(db, otaId, since)
  const digest = and(
    eq(otaAlarms.otaId, otaId),
    eq(otaAlarms.kind, ALARM.wrongDigest),
    gte(otaAlarms.createTime, since),
  )
  const at = sql`${now.toISOString()}::timestamptz`
  const { rows } = await db.execute<{ minutes: number; waited: number; last: boolean; wrong: boolean }>(sql`
    select extract(epoch from ${at} - ${since}::timestamptz) / 60 as minutes,
      extract(epoch from ${at} - greatest(${since}::timestamptz, ${updateTime}::timestamptz)) / 60 as waited,
      not exists (select from ${otaStages} where ${and(eq(otaStages.otaId, otaId), gt(otaStages.seq, seq))}) as last,
      exists (select from ${otaAlarms} where ${digest}) as wrong`)
  const { minutes = 0, waited = 0, last = false, wrong = false } = rows[0] ?? {}
  return { ...results, minutes: Number(minutes), waited: Number(waited), isLast: last, wrongDigest: wrong }
}

/**
 * Returns the verdict on a stage. Too many failures pause the release as soon as there are enough results. Passing
 * also requires the minimum time, in which late failures can appear. Between both thresholds the stage waits until
 * all devices have reported or the maximum time is over. Then the results decide; with missing or insufficient
 * results a person decides.
 */
function verdictOf(stage: StoredStage, found: Findings) {
  const { succeeded, failed, minutes, waited, isLast, isWhole, wrongDigest } = found
  if (wrongDigest) return '有设备报告下载内容的校验值不一致'
  const reports = succeeded + failed
  const isOver = waited >= stage.maxMinutes
  if (reports < stage.minReports && !isOver && !isWhole) return undefined
  const errors = reports > 0 ? (failed * 100) / reports : 0
  if (failed > 0 && errors >= stage.errorPercent)
    return `失败率 ${roundToTwoDigits(errors)}% 达到门槛 ${stage.errorPercent}%（${reports} 个结果中失败 ${failed} 个）`
  if (minutes < stage.minMinutes) return undefined
  // A stage without devices passes. Small fleets have such stages.
  if (reports === 0 && isWhole) return 'passed'
  if (reports > 0 && (succeeded * 100) / reports >= stage.successPercent) return 'passed'
  // After the last stage there is no further stage that a pause could prevent.
  if (!isOver || isLast) return undefined
  return reports === 0
    ? `等待 ${stage.maxMinutes} 分钟没有设备报告结果，无法评判`
    : `等待 ${stage.maxMinutes} 分钟后成功率 ${roundToTwoDigits(100 - errors)}% 未达到门槛 ${stage.successPercent}%（${reports} 个结果）`
}

interface StageResult {
  readonly policy: StoredPolicy
  readonly stage: StoredStage
  readonly result: { readonly succeeded: number; readonly failed: number; readonly judgeTime: string }
  readonly now: Date
}

async function pass({ events }: Pick<Services, 'events'>, db: Db, { policy, stage, result, now }: StageResult) {
  await db
    .update(otaStages)
    .set({ ...result, state: STAGE_STATE.passed })
    .where(buildStageCondition(stage))
  await startNextStage(db, policy.otaId, now)
  await db
    .update(otaPolicies)
    .set({ rev: policy.rev + 1, updateTime: now.toISOString() })
    .where(eq(otaPolicies.otaId, policy.otaId))
  await publishReleaseChanged({ events }, db, policy.tenantId)
}

/** Pauses the release with a reason, opens an alarm and notifies the people concerned. */
async function hold({ events }: Pick<Services, 'events'>, db: Db, evaluated: StageResult, reason: string) {
  const { policy, stage, result, now } = evaluated
  const { otaId, tenantId } = policy
  const stateReason = `第 ${stage.seq} 阶段（${formatRolloutPercentage(stage.percent)}）${reason}，已自动暂停`
  await db
    .update(otaStages)
    .set({ ...result, state: STAGE_STATE.failed })
    .where(buildStageCondition(stage))
  await db
    .update(otaPolicies)
    .set({ state: RELEASE_STATE_CODE.paused, stateReason, rev: policy.rev + 1, updateTime: now.toISOString() })
    .where(eq(otaPolicies.otaId, otaId))
  const { succeeded, failed } = result
  const facts = { seq: stage.seq, percent: stage.percent, succeeded, failed }
  await db
    .insert(otaAlarms)
    .values({ tenantId, otaId, kind: ALARM.paused, message: stateReason, facts, createTime: now.toISOString() })
  const [version] = await db.select().from(otaVersions).where(eq(otaVersions.otaId, otaId))
  if (version) {
    await publishReleaseEvent({ events }, db, 'release.alarm', version, facts)
    await sendReleaseMessage({ events }, db, {
      tenantId,
      uids: [policy.submitBy, policy.auditBy, version.createBy, version.enableBy],
      title: `发布已自动暂停：${version.verName}`,
      text: `${formatVersionName(version)}${stateReason}。请查看失败原因，处理后继续或终止发布。`,
      now,
    })
  }
  await publishReleaseChanged({ events }, db, tenantId)
}

/** Minimum interval between two checks of one release, because each check visits every device. */
const RECHECK_MS = 60_000
const lastCheckById = new Map<number, number>()

interface DueStage {
  readonly since: string
  readonly minReports: number
}

/**
 * Returns true when every device that gets the version in this stage has reported. Called only for a stage that is due
 * and has too few results.
 */
async function haveAllStageDevicesReported(
  { database, fleet }: Pick<Services, 'database' | 'fleet'>,
  otaId: number,
  now: Date,
) {
  const { db } = database
  if (Math.abs(now.getTime() - (lastCheckById.get(otaId) ?? 0)) < RECHECK_MS) return false
  const { rows } = await db.execute<{ since: string; minReports: number } & Record<string, unknown>>(sql`
    select s.start_time as since, s.min_reports as "minReports" from ota_stages s
    where s.ota_id = ${otaId} and s.state = ${STAGE_STATE.running}
      and s.start_time <= ${now.toISOString()}::timestamptz - make_interval(mins => s.min_minutes)
      and not exists (select from ota_tasks t where t.ota_id = s.ota_id and t.state < 100 and t.close_time is null)`)
  const due: DueStage | undefined = rows[0]
  if (!due) return false
  const { succeeded, failed } = await countResultsSince(db, otaId, due.since)
  if (succeeded + failed >= due.minReports) return false
  if (lastCheckById.size > 10_000) lastCheckById.clear()
  lastCheckById.set(otaId, now.getTime())
  await fleet.sync()
  // Devices outside their daily window or before the start time still count as waiting.
  const rule = await fleet.ruleOf(otaId, { dailyStart: null, dailyEnd: null, startAt: null })
  if (!rule) return false
  const { count, busy } = await fleet.dryRun(rule, now, { sample: 0 })
  return count === 0 && busy === 0
}

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

interface News {
  readonly tenantId: number
  readonly uids: readonly (number | null)[]
  readonly title: string
  readonly text: string
  readonly now: Date
}

const ACCOUNTS = 4
const PUBLISHED = 1
const HIGH = 3
const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Writes a message to the inbox of the accounts and notifies their open consoles. */
export async function sendReleaseMessage(
  { events }: Pick<Services, 'events'>,
  db: Db,
  { tenantId, now, ...news }: News,
) {
  const uids = [...new Set(news.uids.filter((uid): uid is number => uid !== null))]
  if (uids.length === 0) return
  const title = news.title.slice(0, 50)
  const time = now.toISOString()
  const [made] = await db
    .insert(notices)
    .values({
      tenantId,
      title,
      content: `<p>${escapeHtml(news.text)}</p>`,
      summary: news.text.slice(0, 200),
      priority: HIGH,
      target: ACCOUNTS,
      targetIds: uids,
      status: PUBLISHED,
      publishTime: time,
      createTime: time,
      updateTime: time,
    })
    .returning({ noticeId: notices.noticeId })
  if (made) await events.publish(db, 'notice', { noticeId: made.noticeId, title, uids })
}
