import { and, eq, gte, sql } from 'drizzle-orm'
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

const EVERY_MS = 15_000
const ALARM = { paused: 2, wrongDigest: 3 } as const

/** Registers the regular look at the stages under way. */
export function registerStageClock(kernel: Kernel) {
  kernel.jobs.register('ota-stages', () => judgeStages(kernel, kernel.now()), { everyMs: EVERY_MS })
}

/** Judges every stage under way whose time has come; each in a transaction of its own. */
export async function judgeStages(kernel: Pick<Kernel, 'database' | 'events'>, now: Date) {
  const { db } = kernel.database
  const { rows } = await db.execute<{ otaId: number }>(sql`
    select s.ota_id as "otaId" from ota_stages s join ota_policies p on p.ota_id = s.ota_id
    where s.state = ${STAGE.running} and p.state = ${STATE.running} and p.mode = ${MODE.formal} order by s.ota_id`)
  let judged = 0
  for (const { otaId } of rows) if (await db.transaction((tx) => judge(kernel, tx, otaId, now))) judged += 1
  return { judged }
}

/** The release stays locked while it is judged: another process passes by, and finds it judged the next time. */
async function judge(kernel: Pick<Kernel, 'events'>, db: Db, otaId: number, now: Date): Promise<boolean> {
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
  const found = await lookAt(db, stage, stage.startTime, now)
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
  /** A device found bytes that are not those of the version. */
  readonly wrongDigest: boolean
}

async function lookAt(db: Db, { otaId }: StoredStage, since: string, now: Date): Promise<Findings> {
  const results = await resultsSince(db, otaId, since)
  const digest = and(
    eq(otaAlarms.otaId, otaId),
    eq(otaAlarms.kind, ALARM.wrongDigest),
    gte(otaAlarms.createTime, since),
  )
  const { rows } = await db.execute<{ minutes: number; wrong: boolean }>(sql`
    select extract(epoch from ${now.toISOString()}::timestamptz - ${since}::timestamptz) / 60 as minutes,
      exists (select from ${otaAlarms} where ${digest}) as wrong`)
  return { ...results, minutes: Number(rows[0]?.minutes ?? 0), wrongDigest: rows[0]?.wrong === true }
}

/**
 * Too many failures stop a release as soon as there are enough results to say so; to go on also takes the time that
 * late failures need to show. Between the two thresholds it waits for more results.
 */
function verdictOf(stage: StoredStage, { succeeded, failed, minutes, wrongDigest }: Findings) {
  if (wrongDigest) return '有设备报告下载内容的校验值不一致'
  const reports = succeeded + failed
  if (reports < stage.minReports) return undefined
  const errors = (failed * 100) / reports
  if (failed > 0 && errors >= stage.errorPercent)
    return `失败率 ${errors.toFixed(1)}% 达到门槛 ${stage.errorPercent}%（${reports} 个结果中失败 ${failed} 个）`
  if (minutes < stage.minMinutes || (succeeded * 100) / reports < stage.successPercent) return undefined
  return 'passed'
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
