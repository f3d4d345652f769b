import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { RELEASE_MODE } from '@oms/contract/ota-task.ts'
import { type otaRelease, PolicyInput } from '@oms/contract/upgrade-release.ts'
import { and, eq, inArray } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { deviceGroups } from '#db/schema/device.ts'
import { tenants } from '#db/schema/tenant.ts'
import { otaPolicies, otaStages } from '#db/schema/upgrade.ts'
import type { Ctx, User } from '#kernel/context.ts'
import { LARGE_WHITE_LIST } from '#kernel/fleet/release.ts'
import { changes } from '#kernel/mask.ts'
import { invalid, refused } from '#kernel/problem.ts'
import { checkRevision, touched } from '#kernel/stale.ts'
import { alive, PLATFORM_TENANT_ID, scoped } from '#kernel/tenancy.ts'
import { familyOf } from './release-family.ts'
import { tellPeople } from './release-notice.ts'
import {
  bizOf,
  demandState,
  type Held,
  lockRelease,
  MODE,
  nameOf,
  shareText,
  STATE,
  type StoredVersion,
  tellChanged,
} from './release-rows.ts'
import { currentStage, firstShare, plannedStages, reachedBy, startNextStage } from './stage-steps.ts'
import { approversOf, auditBlockOf, needsAudit } from './two-person.ts'

type Publish = ParsedOf<typeof otaRelease.publish>

/** Saves how a version is released and begins, or lays it before a second person. */
export async function publish(ctx: Ctx, input: Publish) {
  const { db, user, now, kernel } = ctx
  const held = await lockRelease(db, user, input.otaId)
  const { version, policy } = held
  demandState(policy, [STATE.running, STATE.waiting, STATE.refused, STATE.paused], '再发布；停用后重新启用可以重新开始')
  if (policy.stateReason === LARGE_WHITE_LIST) throw refused(LARGE_WHITE_LIST)
  await checkRevision(db, policy, input.rev)
  await demandTargets(db, user, version, input)
  const waits = await needsAudit(kernel, db, version, input)
  const stages =
    input.mode === MODE.formal ? plannedStages(input.otaId, input.stages, held.stages, reachedBy(held)) : []
  const next = {
    ...fieldsOf(input),
    percent: firstShare(stages, input.percent),
    state: waits ? STATE.waiting : STATE.running,
    stateReason: '',
    submitBy: user.uid,
    submitTime: now.toISOString(),
    auditBy: null,
    auditTime: null,
    auditRemark: '',
    ...touched(policy, user.uid, now),
  }
  await db.update(otaPolicies).set(next).where(eq(otaPolicies.otaId, input.otaId))
  await db.delete(otaStages).where(eq(otaStages.otaId, input.otaId))
  if (stages.length > 0) await db.insert(otaStages).values(stages)
  if (!waits && stages.length > 0) await startNextStage(db, input.otaId, now)
  const what = input.mode === MODE.formal ? '正式发布' : '测试发布'
  ctx.audit({
    ...bizOf(version),
    action: `${what}${nameOf(version)}${waits ? '，提交审批' : ''}`,
    diff: changes(shown(policy, held.stages), shown(next, stages), TITLES),
  })
  if (waits) await askApproval(ctx, held)
  await tellChanged(ctx.kernel, ctx.db, version.tenantId)
  return { state: next.state, rev: next.rev }
}

/** Changes the share of a release without stages. Raising adds devices and drops nobody. */
export async function share(ctx: Ctx, { otaId, percent }: ParsedOf<typeof otaRelease.share>) {
  const { db, user, now, kernel } = ctx
  const held = await lockRelease(db, user, otaId)
  const { version, policy, stages } = held
  demandState(policy, [STATE.running, STATE.paused], '调整比例')
  if (policy.stateReason === LARGE_WHITE_LIST) throw refused(LARGE_WHITE_LIST)
  if (policy.mode !== MODE.formal) throw refused('测试发布没有比例，请先正式发布')
  if (currentStage(stages)) throw refused('发布正按阶段进行，请跳过阶段或重新编辑发布')
  if (percent === policy.percent) throw refused(`比例已是 ${shareText(percent)}`)
  const raises = percent > policy.percent
  const waits = raises && (await needsAudit(kernel, db, version, policy))
  const asked = waits ? { submitBy: user.uid, submitTime: now.toISOString(), auditBy: null, auditTime: null } : {}
  const next = { percent, ...touched(policy, user.uid, now), ...asked, state: waits ? STATE.waiting : policy.state }
  await db.update(otaPolicies).set(next).where(eq(otaPolicies.otaId, otaId))
  const from = shareText(policy.percent)
  ctx.audit({
    ...bizOf(version),
    action: `${nameOf(version)}的发布比例由 ${from} 调整为 ${shareText(percent)}${waits ? '，提交审批' : ''}`,
  })
  if (waits) await askApproval(ctx, held)
  else
    ctx.say(
      raises
        ? `比例已由 ${from} 提高到 ${shareText(percent)}，已在范围内的设备不变`
        : `比例已降到 ${shareText(percent)}，已领取任务的设备不受影响`,
    )
  await tellChanged(ctx.kernel, ctx.db, version.tenantId)
  return { state: next.state, rev: next.rev }
}

/** The second person's word. Whoever made, uploaded or submitted it cannot give it. */
export async function audit(ctx: Ctx, input: ParsedOf<typeof otaRelease.audit>) {
  const { db, user, now } = ctx
  const { otaId, pass, remark } = input
  const { version, policy } = await lockRelease(db, user, otaId)
  demandState(policy, [STATE.waiting], '审批')
  await checkRevision(db, policy, input.rev)
  const block = await auditBlockOf(db, user, version, policy)
  if (block) throw refused(block)
  const next = {
    state: pass === 1 ? STATE.running : STATE.refused,
    stateReason: pass === 1 ? '' : remark,
    auditBy: user.uid,
    auditTime: now.toISOString(),
    auditRemark: remark,
    ...touched(policy, user.uid, now),
  }
  await db.update(otaPolicies).set(next).where(eq(otaPolicies.otaId, otaId))
  if (pass === 1) await startNextStage(db, otaId, now)
  const verdict = pass === 1 ? '通过' : '驳回'
  ctx.audit({
    ...bizOf(version),
    action: `${verdict}${nameOf(version)}的发布${remark && `：${remark}`}`,
  })
  ctx.say(pass === 1 ? '审批通过，发布已开始' : '已驳回，版本仍按测试发布进行')
  await tellPeople(ctx.kernel, db, {
    tenantId: version.tenantId,
    uids: [policy.submitBy],
    title: `发布审批${verdict}：${version.verName}`,
    text: `${nameOf(version)}的发布已被${user.realname || user.account}${verdict}。${remark}`,
    now,
  })
  await tellChanged(ctx.kernel, ctx.db, version.tenantId)
  return { state: next.state, rev: next.rev }
}

async function askApproval(ctx: Ctx, { version }: Held) {
  const { db, user, now, kernel } = ctx
  ctx.say('已提交，等待另一人审批；审批前仅白名单设备可升级')
  await tellPeople(kernel, db, {
    tenantId: version.tenantId,
    uids: await approversOf(db, version, user.uid),
    title: `待审批的发布：${version.verName}`,
    text: `${user.realname || user.account} 提交了${nameOf(version)}的发布，请到「${familyOf(version.kind).page}」审批。`,
    now,
  })
}

/** Refuses customers and groups that are not there, or that the version does not reach. */
async function demandTargets(db: Db, user: User, version: StoredVersion, { tenantIds, groupIds }: Publish) {
  const isOurs = version.tenantId === PLATFORM_TENANT_ID
  if (!isOurs && tenantIds.some((tenantId) => tenantId !== version.tenantId))
    throw invalid('该版本只能发布给其所属客户', 'tenantIds')
  const wanted = [...new Set(tenantIds)]
  const mine = and(alive(tenants), inArray(tenants.id, wanted), scoped(user, { tenant: tenants.id }))
  if (wanted.length > 0 && (await db.$count(tenants, mine)) !== wanted.length)
    throw invalid('客户不存在或已删除，请重新选择', 'tenantIds')
  const groups = [...new Set(groupIds)]
  const reach = isOurs ? undefined : eq(deviceGroups.tenantId, version.tenantId)
  const known = and(
    alive(deviceGroups),
    inArray(deviceGroups.id, groups),
    reach,
    scoped(user, { tenant: deviceGroups.tenantId }),
  )
  if (groups.length > 0 && (await db.$count(deviceGroups, known)) !== groups.length)
    throw invalid('设备分组不存在或已删除，请重新选择', 'groupIds')
}

/** The columns a person decides; what a test release does not use is stored all the same. */
function fieldsOf(input: Publish) {
  const { mode, tenantIds, groupIds, needConfirm, timeoutMinutes, autoRetries } = input
  return {
    mode,
    tenantIds: [...new Set(tenantIds)],
    groupIds: [...new Set(groupIds)],
    needConfirm,
    timeoutMinutes,
    autoRetries,
    startTime: input.startTime ?? null,
    endTime: input.endTime ?? null,
    dailyStart: input.dailyStart ?? null,
    dailyEnd: input.dailyEnd ?? null,
    maxDownloads: input.maxDownloads ?? null,
    perMinute: input.perMinute ?? null,
    bandwidth: input.bandwidth ?? null,
  }
}

const TITLES: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(PolicyInput.shape).map(([field, schema]) => [field, String(schema.meta()?.title ?? field)]),
  ),
  stages: '阶段',
}

type Shown = { readonly mode: number; readonly percent: number }

/** As the operation log shows it: shares in percent, stages in one line each. */
const shown = (
  policy: Shown,
  stages: readonly { percent: number; errorPercent?: number | undefined; minMinutes?: number | undefined }[],
) => ({
  ...policy,
  mode: RELEASE_MODE[policy.mode as keyof typeof RELEASE_MODE],
  percent: shareText(policy.percent),
  stages: stages.map(
    ({ percent, errorPercent, minMinutes }) =>
      `${shareText(percent)}（失败达 ${errorPercent}% 暂停，至少观察 ${minMinutes} 分钟）`,
  ),
})
