import { and, eq, gt, gte, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { otaVersions } from '#db/schema/ota.ts'
import { otaAlarms, otaPolicies, otaStages } from '#db/schema/upgrade.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { tellPeople } from './release-notice.ts'
import {
  MODE,
  nameOf,
  shareText,
  STAGE,
  STATE,
  type StoredPolicy,
  type StoredStage,
  tellChanged,
} from './release-rows.ts'
import { oneStage, resultsSince, startNextStage } from './stage-steps.ts'
import { allAnswered } from './stage-whole.ts'

const EVERY_MS = 15_000
const ALARM = { paused: 2, wrongDigest: 3 } as const

/** Registers the regular look at the stages under way. */
export function registerStageClock(kernel: Kernel) {
  kernel.jobs.register('ota-stages', () => judgeStages(kernel, kernel.now()), { everyMs: EVERY_MS })
}

/** Judges every stage under way whose time has come; each in a transaction of its own. */
export async function judgeStages(kernel: Pick<Kernel, 'database' | 'events' | 'fleet'>, now: Date) {
  const { db } = kernel.database
  const { rows } = await db.execute<{ otaId: number }>(sql`
    select s.ota_id as "otaId" from ota_stages s join ota_policies p on p.ota_id = s.ota_id
    where s.state = ${STAGE.running} and p.state = ${STATE.running} and p.mode = ${MODE.formal} order by s.ota_id`)
  let judged = 0
  for (const { otaId } of rows) {
    const isWhole = await allAnswered(kernel, otaId, now)
    if (await db.transaction((tx) => judge(kernel, tx, { otaId, now, isWhole }))) judged += 1
  }
  return { judged }
}

interface Look {
  readonly otaId: number
  readonly now: Date
  /** Every device the stage reaches has said how it went. */
  readonly isWhole: boolean
}

/** The release stays locked while it is judged: another process passes by, and finds it judged the next time. */
async function judge(kernel: Pick<Kernel, 'events'>, db: Db, { otaId, now, isWhole }: Look): Promise<boolean> {
  const running = and(
    eq(otaPolicies.otaId, otaId),
    eq(otaPolicies.state, STATE.running),
    eq(otaPolicies.mode, MODE.formal),
  )
  const [policy] = await db.select().from(otaPolicies).where(running).for('update', { skipLocked: true })
  if (!policy) return false
  const [stage] = await db
    .select()
    .from(otaStages)
    .where(and(eq(otaStages.otaId, otaId), eq(otaStages.state, STAGE.running)))
  if (!stage?.startTime) return false
  const found = { ...(await lookAt(db, stage, policy, now)), isWhole }
  const verdict = verdictOf(stage, found)
  if (!verdict) return false
  const { succeeded, failed } = found
  const result = { succeeded, failed, judgeTime: now.toISOString() }
  if (verdict === 'passed') await pass(kernel, db, { policy, stage, result, now })
  else await hold(kernel, db, { policy, stage, result, now }, verdict)
  return true
}

interface Findings {
  readonly succeeded: number
  readonly failed: number
  /** Minutes since it began. */
  readonly minutes: number
  /** Minutes since it began, or since a person last changed the release: a pause is no time to wait for results in. */
  readonly waited: number
  readonly isLast: boolean
  readonly isWhole: boolean
  /** A device found bytes that are not those of the version. */
  readonly wrongDigest: boolean
}

async function lookAt(db: Db, { otaId, seq, startTime }: StoredStage, { updateTime }: StoredPolicy, now: Date) {
  const since = startTime as string
  const results = await resultsSince(db, otaId, since)
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
 * Too many failures stop a release as soon as there are enough results to say so; to go on also takes the time that
 * late failures need to show. Between the two thresholds it waits for more results, until all devices have answered or
 * its time is over: what came decides then, and where nothing came or it is not good enough, a person does.
 */
function verdictOf(stage: StoredStage, found: Findings) {
  const { succeeded, failed, minutes, waited, isLast, isWhole, wrongDigest } = found
  if (wrongDigest) return '有设备报告下载内容的校验值不一致'
  const reports = succeeded + failed
  const isOver = waited >= stage.maxMinutes
  if (reports < stage.minReports && !isOver && !isWhole) return undefined
  const errors = reports > 0 ? (failed * 100) / reports : 0
  if (failed > 0 && errors >= stage.errorPercent)
    return `失败率 ${errors.toFixed(1)}% 达到门槛 ${stage.errorPercent}%（${reports} 个结果中失败 ${failed} 个）`
  if (minutes < stage.minMinutes) return undefined
  // Nobody to wait for: a small fleet has stages without a single device.
  if (reports === 0 && isWhole) return 'passed'
  if (reports > 0 && (succeeded * 100) / reports >= stage.successPercent) return 'passed'
  // Behind the last stage there is nothing a person could hold back.
  if (!isOver || isLast) return undefined
  return reports === 0
    ? `等待 ${stage.maxMinutes} 分钟没有设备报告结果，无法评判`
    : `等待 ${stage.maxMinutes} 分钟后成功率 ${(100 - errors).toFixed(1)}% 未达到门槛 ${stage.successPercent}%（${reports} 个结果）`
}

interface Judged {
  readonly policy: StoredPolicy
  readonly stage: StoredStage
  readonly result: { readonly succeeded: number; readonly failed: number; readonly judgeTime: string }
  readonly now: Date
}

async function pass({ events }: Pick<Kernel, 'events'>, db: Db, { policy, stage, result, now }: Judged) {
  await db
    .update(otaStages)
    .set({ ...result, state: STAGE.passed })
    .where(oneStage(stage))
  await startNextStage(db, policy.otaId, now)
  await db
    .update(otaPolicies)
    .set({ rev: policy.rev + 1, updateTime: now.toISOString() })
    .where(eq(otaPolicies.otaId, policy.otaId))
  await tellChanged({ events }, db, policy.tenantId)
}

/** Pauses the release by itself: the reason stays with it, an alarm stays open, and the people concerned are told. */
async function hold({ events }: Pick<Kernel, 'events'>, db: Db, judged: Judged, reason: string) {
  const { policy, stage, result, now } = judged
  const { otaId, tenantId } = policy
  const stateReason = `第 ${stage.seq} 阶段（${shareText(stage.percent)}）${reason}，已自动暂停`
  await db
    .update(otaStages)
    .set({ ...result, state: STAGE.failed })
    .where(oneStage(stage))
  await db
    .update(otaPolicies)
    .set({ state: STATE.paused, stateReason, rev: policy.rev + 1, updateTime: now.toISOString() })
    .where(eq(otaPolicies.otaId, otaId))
  const { succeeded, failed } = result
  const facts = { seq: stage.seq, percent: stage.percent, succeeded, failed }
  await db
    .insert(otaAlarms)
    .values({ tenantId, otaId, kind: ALARM.paused, message: stateReason, facts, createTime: now.toISOString() })
  const [version] = await db.select().from(otaVersions).where(eq(otaVersions.otaId, otaId))
  if (version)
    await tellPeople({ events }, db, {
      tenantId,
      uids: [policy.submitBy, policy.auditBy, version.createBy, version.enableBy],
      title: `发布已自动暂停：${version.verName}`,
      text: `${nameOf(version)}${stateReason}。请查看失败原因，处理后继续或终止发布。`,
      now,
    })
  await tellChanged({ events }, db, tenantId)
}
