import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { formatRolloutPercentage } from '@oms/contract/upgrade/release-plan.ts'
import type { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import { and, eq, isNull } from 'drizzle-orm'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { notFound, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { findAuditBlock } from './release-save.ts'
import {
  visibleVersions,
  assertReleaseInScope,
  cancelTasks,
  LARGE_ALLOWLIST,
  toAuditTarget,
  assertReleaseState,
  type LockedRelease,
  lockRelease,
  formatVersionName,
  STAGE_STATE,
  RELEASE_STATE_CODE,
  type StoredPolicy,
  publishReleaseChanged,
  publishReleaseEvent,
} from './release.ts'
import { otaVersions, otaAlarms, otaPolicies, otaStages, otaTasks } from './schema.ts'
import { findCurrentStage, buildStageCondition, countResultsSince, startNextStage } from './stages.ts'

/** Pauses a release: no further device gets the version, devices with a task continue. */
export async function pauseRelease(ctx: Ctx, { otaId, reason }: ParsedOf<typeof otaRelease.pause>) {
  const held = await lockRelease(ctx.db, ctx.user, otaId)
  assertReleaseState(held.policy, [RELEASE_STATE_CODE.running], '暂停')
  const action = `暂停发布${formatVersionName(held.version)}${reason && `：${reason}`}`
  await publishReleaseEvent(ctx.services, ctx.db, 'release.paused', held.version)
  return move(ctx, held, { state: RELEASE_STATE_CODE.paused, stateReason: reason }, action)
}

/**
 * Resumes a release. A failed stage is observed from now on, so that earlier failures do not pause the release
 * again.
 */
export async function resumeRelease(ctx: Ctx, { otaId }: ParsedOf<typeof otaRelease.resume>) {
  const { db, user, now } = ctx
  const held = await lockRelease(db, user, otaId)
  assertReleaseState(held.policy, [RELEASE_STATE_CODE.paused], '继续')
  const approval = held.policy.stateReason === LARGE_ALLOWLIST ? await approve(ctx, held) : {}
  const stage = findCurrentStage(held.stages)
  if (stage?.state === STAGE_STATE.failed) {
    const anew = {
      state: STAGE_STATE.running,
      startTime: now.toISOString(),
      judgeTime: null,
      succeeded: null,
      failed: null,
    }
    await db.update(otaStages).set(anew).where(buildStageCondition(stage))
  }
  await closePauseAlarms(ctx, otaId)
  const change = { ...approval, state: RELEASE_STATE_CODE.running, stateReason: '' }
  return move(ctx, held, change, `继续发布${formatVersionName(held.version)}`)
}

/** Approves a release that waits for a second person: resuming such a release counts as approval. */
async function approve({ db, user, now }: Ctx, { version, policy }: LockedRelease) {
  const block = await findAuditBlock(db, user, version, policy)
  if (block) throw refused(block)
  return { auditBy: user.uid, auditTime: now.toISOString() }
}

/** Closes the alarms about the pause: the person who resumes or stops the release has seen the reason. */
const closePauseAlarms = ({ db, user, now }: Ctx, otaId: number) =>
  db
    .update(otaAlarms)
    .set({ closeTime: now.toISOString(), closeBy: user.uid })
    .where(and(eq(otaAlarms.otaId, otaId), eq(otaAlarms.kind, PAUSED_ITSELF), isNull(otaAlarms.closeTime)))
const PAUSED_ITSELF = 2

/** Stops a release permanently. Cancels open tasks; tasks that no device has fetched end immediately. */
export async function stopRelease(ctx: Ctx, { otaId, reason }: ParsedOf<typeof otaRelease.stop>) {
  const { db, user } = ctx
  const held = await lockRelease(db, user, otaId)
  assertReleaseState(
    held.policy,
    [RELEASE_STATE_CODE.running, RELEASE_STATE_CODE.waiting, RELEASE_STATE_CODE.refused, RELEASE_STATE_CODE.paused],
    '终止',
  )
  const words = reason ? `发布已终止：${reason}` : '发布已终止'
  const ended = await cancelTasks(db, eq(otaTasks.otaId, otaId), words)
  await closePauseAlarms(ctx, otaId)
  const { cancelled, cancelling } = ended
  const tail = `，取消 ${cancelled} 个任务${cancelling > 0 ? `，另有 ${cancelling} 个等待设备响应` : ''}`
  const action = `终止发布${formatVersionName(held.version)}${reason && `：${reason}`}${tail}`
  const done = await move(ctx, held, { state: RELEASE_STATE_CODE.stopped, stateReason: reason, pending: null }, action)
  ctx.say(`发布已终止${tail}`)
  return { ...done, ...ended }
}

/** Ends the current stage without waiting for its results. `seq` must name the stage that the person saw. */
export async function skipStage(ctx: Ctx, { otaId, seq }: ParsedOf<typeof otaRelease.skip>) {
  const { db, user, now } = ctx
  const held = await lockRelease(db, user, otaId)
  assertReleaseState(held.policy, [RELEASE_STATE_CODE.running, RELEASE_STATE_CODE.paused], '跳过阶段')
  const stage = findCurrentStage(held.stages)
  if (!stage || stage.seq !== seq) throw refused('该阶段已不在进行中，请刷新后重试')
  if (seq === held.stages.length) throw refused('已是最后一个阶段')
  const results =
    stage.state === STAGE_STATE.failed || !stage.startTime ? {} : await countResultsSince(db, otaId, stage.startTime)
  await db
    .update(otaStages)
    .set({ ...results, state: STAGE_STATE.skipped, judgeTime: now.toISOString() })
    .where(buildStageCondition(stage))
  const next = await startNextStage(db, otaId, now)
  const to = next ? formatRolloutPercentage(next.percent) : ''
  const action = `${formatVersionName(held.version)}跳过第 ${seq} 阶段，比例扩大到 ${to}`
  const done = await move(ctx, held, {}, action)
  ctx.say(held.policy.state === RELEASE_STATE_CODE.paused ? `已进入 ${to} 阶段，继续发布后生效` : `已进入 ${to} 阶段`)
  return done
}

/** Closes an alarm after a person has seen the alarm. */
export async function closeAlarm(ctx: Ctx, { id }: ParsedOf<typeof otaRelease.closeAlarm>) {
  const { db, user, now } = ctx
  const [alarm] = await db
    .select({ version: otaVersions, tenantId: otaAlarms.tenantId, message: otaAlarms.message })
    .from(otaAlarms)
    .innerJoin(otaVersions, eq(otaVersions.otaId, otaAlarms.otaId))
    .where(and(eq(otaAlarms.id, id), isNull(otaAlarms.closeTime), visibleVersions(user)))
    .for('update', { of: otaAlarms })
  if (!alarm) throw notFound('告警')
  await assertReleaseInScope(db, user, alarm.version.otaId)
  await db.update(otaAlarms).set({ closeTime: now.toISOString(), closeBy: user.uid }).where(eq(otaAlarms.id, id))
  ctx.audit({ ...toAuditTarget(alarm.version), action: `处理升级告警：${alarm.message}` })
  await publishReleaseChanged(ctx.services, ctx.db, alarm.tenantId)
  return null
}

async function move(ctx: Ctx, { version, policy }: LockedRelease, change: Partial<StoredPolicy>, action: string) {
  const { db, user, now } = ctx
  const next = { state: policy.state, ...change, ...updateColumns(policy, user.uid, now) }
  await db.update(otaPolicies).set(next).where(eq(otaPolicies.otaId, policy.otaId))
  ctx.audit({ ...toAuditTarget(version), action })
  await publishReleaseChanged(ctx.services, ctx.db, version.tenantId)
  return { state: next.state, rev: next.rev }
}
