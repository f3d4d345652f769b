import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { otaRelease } from '@oms/contract/upgrade-release.ts'
import { and, eq, isNull } from 'drizzle-orm'
import { otaVersions } from '#db/schema/ota.ts'
import { otaAlarms, otaPolicies, otaStages, otaTasks } from '#db/schema/upgrade.ts'
import type { Ctx } from '#kernel/context.ts'
import { cancelTasks, LARGE_WHITE_LIST } from '#kernel/fleet/release.ts'
import { notFound, refused } from '#kernel/problem.ts'
import { touched } from '#kernel/stale.ts'
import { scoped } from '#kernel/tenancy.ts'
import {
  bizOf,
  demandState,
  type Held,
  lockRelease,
  nameOf,
  shareText,
  STAGE,
  STATE,
  type StoredPolicy,
  tellChanged,
} from './release-rows.ts'
import { currentStage, oneStage, resultsSince, startNextStage } from './stage-steps.ts'
import { auditBlockOf } from './two-person.ts'

/** Nobody new gets the version; whoever has a task goes on. */
export async function pause(ctx: Ctx, { otaId, reason }: ParsedOf<typeof otaRelease.pause>) {
  const held = await lockRelease(ctx.db, ctx.user, otaId)
  demandState(held.policy, [STATE.running], '暂停')
  const action = `暂停发布${nameOf(held.version)}${reason && `：${reason}`}`
  return move(ctx, held, { state: STATE.paused, stateReason: reason }, action)
}

/** Goes on where it stopped; a stage that failed is observed anew, so that old failures do not stop it again. */
export async function resume(ctx: Ctx, { otaId }: ParsedOf<typeof otaRelease.resume>) {
  const { db, user, now } = ctx
  const held = await lockRelease(db, user, otaId)
  demandState(held.policy, [STATE.paused], '继续')
  const approval = held.policy.stateReason === LARGE_WHITE_LIST ? await approve(ctx, held) : {}
  const stage = currentStage(held.stages)
  if (stage?.state === STAGE.failed) {
    const anew = { state: STAGE.running, startTime: now.toISOString(), judgeTime: null, succeeded: null, failed: null }
    await db.update(otaStages).set(anew).where(oneStage(stage))
  }
  await closePauseAlarms(ctx, otaId)
  const change = { ...approval, state: STATE.running, stateReason: '' }
  return move(ctx, held, change, `继续发布${nameOf(held.version)}`)
}

/** Continuing what waits for a second person is that person's approval. */
async function approve({ db, user, now }: Ctx, { version, policy }: Held) {
  const block = await auditBlockOf(db, user, version, policy)
  if (block) throw refused(block)
  return { auditBy: user.uid, auditTime: now.toISOString() }
}

/** Whoever decided how to go on has seen why it stopped. */
const closePauseAlarms = ({ db, user, now }: Ctx, otaId: number) =>
  db
    .update(otaAlarms)
    .set({ closeTime: now.toISOString(), closeBy: user.uid })
    .where(and(eq(otaAlarms.otaId, otaId), eq(otaAlarms.kind, PAUSED_ITSELF), isNull(otaAlarms.closeTime)))
const PAUSED_ITSELF = 2

/** Ends it for good: open tasks are cancelled, those never fetched at once. */
export async function stop(ctx: Ctx, { otaId, reason }: ParsedOf<typeof otaRelease.stop>) {
  const { db, user } = ctx
  const held = await lockRelease(db, user, otaId)
  demandState(held.policy, [STATE.running, STATE.waiting, STATE.refused, STATE.paused], '终止')
  const words = reason ? `发布已终止：${reason}` : '发布已终止'
  const ended = await cancelTasks(db, eq(otaTasks.otaId, otaId), words)
  await closePauseAlarms(ctx, otaId)
  const { cancelled, cancelling } = ended
  const tail = `，取消 ${cancelled} 个任务${cancelling > 0 ? `，另有 ${cancelling} 个等待设备响应` : ''}`
  const action = `终止发布${nameOf(held.version)}${reason && `：${reason}`}${tail}`
  const done = await move(ctx, held, { state: STATE.stopped, stateReason: reason }, action)
  ctx.say(`发布已终止${tail}`)
  return { ...done, ...ended }
}

/** Leaves the stage under way without waiting for its results; allowed only for the one the person looked at. */
export async function skip(ctx: Ctx, { otaId, seq }: ParsedOf<typeof otaRelease.skip>) {
  const { db, user, now } = ctx
  const held = await lockRelease(db, user, otaId)
  demandState(held.policy, [STATE.running, STATE.paused], '跳过阶段')
  const stage = currentStage(held.stages)
  if (!stage || stage.seq !== seq) throw refused('该阶段已不在进行中，请刷新后重试')
  if (seq === held.stages.length) throw refused('已是最后一个阶段')
  const results = stage.state === STAGE.failed || !stage.startTime ? {} : await resultsSince(db, otaId, stage.startTime)
  await db
    .update(otaStages)
    .set({ ...results, state: STAGE.skipped, judgeTime: now.toISOString() })
    .where(oneStage(stage))
  const next = await startNextStage(db, otaId, now)
  const to = next ? shareText(next.percent) : ''
  const action = `${nameOf(held.version)}跳过第 ${seq} 阶段，比例扩大到 ${to}`
  const done = await move(ctx, held, {}, action)
  ctx.say(held.policy.state === STATE.paused ? `已进入 ${to} 阶段，继续发布后生效` : `已进入 ${to} 阶段`)
  return done
}

/** Somebody has looked at it. */
export async function closeAlarm(ctx: Ctx, { id }: ParsedOf<typeof otaRelease.closeAlarm>) {
  const { db, user, now } = ctx
  const [closed] = await db
    .update(otaAlarms)
    .set({ closeTime: now.toISOString(), closeBy: user.uid })
    .where(and(eq(otaAlarms.id, id), isNull(otaAlarms.closeTime), scoped(user, { tenant: otaAlarms.tenantId })))
    .returning({ otaId: otaAlarms.otaId, tenantId: otaAlarms.tenantId, message: otaAlarms.message })
  if (!closed) throw notFound('告警')
  const [version] = await db
    .select({ otaId: otaVersions.otaId, kind: otaVersions.kind })
    .from(otaVersions)
    .where(eq(otaVersions.otaId, closed.otaId))
  if (version) ctx.audit({ ...bizOf(version), action: `处理升级告警：${closed.message}` })
  await tellChanged(ctx.kernel, ctx.db, closed.tenantId)
  return null
}

async function move(ctx: Ctx, { version, policy }: Held, change: Partial<StoredPolicy>, action: string) {
  const { db, user, now } = ctx
  const next = { state: policy.state, ...change, ...touched(policy, user.uid, now) }
  await db.update(otaPolicies).set(next).where(eq(otaPolicies.otaId, policy.otaId))
  ctx.audit({ ...bizOf(version), action })
  await tellChanged(ctx.kernel, ctx.db, version.tenantId)
  return { state: next.state, rev: next.rev }
}
