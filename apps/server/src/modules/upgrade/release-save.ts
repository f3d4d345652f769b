import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import {
  describePlanFields,
  formatRolloutPercentage,
  extractRolloutLimits,
} from '@oms/contract/upgrade/release-plan.ts'
import { type otaRelease, ReleaseInput, TWO_PERSON_ABOVE } from '@oms/contract/upgrade/upgrade-release.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { listChanges } from '#core/audit/mask.ts'
import { SUPER_ROLE_ID } from '#core/auth/rights.ts'
import type { Db } from '#core/database/client.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { invalid, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { files } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import type { Services } from '#core/services.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { isTenantActive } from '#core/tenancy/tenant-state.ts'
import { deviceGroups, devices } from '#modules/device/schema.ts'
import { findArtifactKind } from './artifact-kind.ts'
import {
  LARGE_ALLOWLIST,
  toAuditTarget,
  assertReleaseState,
  type LockedRelease,
  lockRelease,
  RELEASE_MODE,
  formatVersionName,
  RELEASE_STATE_CODE,
  type StoredVersion,
  publishReleaseChanged,
  publishReleaseEvent,
  type StoredPolicy,
  type StoredStage,
  isTargetDevice,
} from './release.ts'
import { otaPolicies, otaStages, type PendingRelease, otaComponents } from './schema.ts'
import {
  sendReleaseMessage,
  findCurrentStage,
  findFirstPercent,
  buildStages,
  computeReachedPercent,
  startNextStage,
} from './stages.ts'

type Publish = ParsedOf<typeof otaRelease.publish>

/** Throws when the release ended or its allowlist is too large. */
function assertPublishable(policy: LockedRelease['policy']) {
  assertReleaseState(
    policy,
    [RELEASE_STATE_CODE.running, RELEASE_STATE_CODE.waiting, RELEASE_STATE_CODE.refused, RELEASE_STATE_CODE.paused],
    '再发布；停用后重新启用可以重新开始',
  )
  if (policy.stateReason === LARGE_ALLOWLIST) throw refused(LARGE_ALLOWLIST)
}

/** Saves the release and starts the release, or submits the release to a second person for approval. */
export async function publishRelease(ctx: Ctx, input: Publish) {
  const { db, user, now, services } = ctx
  const held = await lockRelease(db, user, input.otaId)
  const { version, policy } = held
  assertPublishable(policy)
  await checkRevision(db, policy, input.rev)
  await assertReleaseTargets(db, user, version, input)
  const waits = await needsAudit(services, db, version, input)
  if (waits && isRolledOut(policy)) return propose(ctx, held, toPendingRelease(input))
  const stages =
    input.mode === RELEASE_MODE.formal
      ? buildStages(input.otaId, input.stages, held.stages, computeReachedPercent(held))
      : []
  const next = {
    ...buildPolicyColumns(input),
    percent: findFirstPercent(stages, input.percent),
    state: waits ? RELEASE_STATE_CODE.waiting : RELEASE_STATE_CODE.running,
    stateReason: '',
    pending: null,
    submitBy: user.uid,
    submitTime: now.toISOString(),
    auditBy: null,
    auditTime: null,
    auditRemark: '',
    ...updateColumns(policy, user.uid, now),
  }
  await db.update(otaPolicies).set(next).where(eq(otaPolicies.otaId, input.otaId))
  await db.delete(otaStages).where(eq(otaStages.otaId, input.otaId))
  if (stages.length > 0) await db.insert(otaStages).values(stages)
  if (!waits && stages.length > 0) await startNextStage(db, input.otaId, now)
  const what = input.mode === RELEASE_MODE.formal ? '正式发布' : '测试发布'
  ctx.audit({
    ...toAuditTarget(version),
    action: `${what}${formatVersionName(version)}${waits ? '，提交审批' : ''}`,
    diff: listChanges(describePlanFields(policy, held.stages), describePlanFields(next, stages), PLAN_TITLES),
  })
  if (waits) await askApproval(ctx, held)
  else await publishReleaseEvent(services, db, 'release.published', version, { mode: input.mode })
  await publishReleaseChanged(ctx.services, ctx.db, version.tenantId)
  return { state: next.state, rev: next.rev }
}

/**
 * Changes the rollout percentage of a release without stages. A higher percentage keeps all devices that already
 * match.
 */
export async function setRolloutPercentage(ctx: Ctx, { otaId, percent }: ParsedOf<typeof otaRelease.share>) {
  const { db, user, now, services } = ctx
  const held = await lockRelease(db, user, otaId)
  const { version, policy, stages } = held
  assertReleaseState(policy, [RELEASE_STATE_CODE.running, RELEASE_STATE_CODE.paused], '调整比例')
  if (policy.stateReason === LARGE_ALLOWLIST) throw refused(LARGE_ALLOWLIST)
  if (policy.mode !== RELEASE_MODE.formal) throw refused('测试发布没有比例，请先正式发布')
  if (findCurrentStage(stages)) throw refused('发布正按阶段进行，请跳过阶段或重新编辑发布')
  if (percent === policy.percent) throw refused(`比例已是 ${formatRolloutPercentage(percent)}`)
  const raises = percent > policy.percent
  const waits = raises && (await needsAudit(services, db, version, policy))
  if (waits) return propose(ctx, held, { percent })
  const next = { percent, pending: null, ...updateColumns(policy, user.uid, now) }
  await db.update(otaPolicies).set(next).where(eq(otaPolicies.otaId, otaId))
  const from = formatRolloutPercentage(policy.percent)
  ctx.audit({
    ...toAuditTarget(version),
    action: `${formatVersionName(version)}的发布比例由 ${from} 调整为 ${formatRolloutPercentage(percent)}`,
  })
  ctx.say(
    raises
      ? `比例已由 ${from} 提高到 ${formatRolloutPercentage(percent)}，已在范围内的设备不变`
      : `比例已降到 ${formatRolloutPercentage(percent)}，已领取任务的设备不受影响`,
  )
  await publishReleaseChanged(ctx.services, ctx.db, version.tenantId)
  return { state: policy.state, rev: next.rev }
}

/** Submits a change of an approved release for approval. Until then devices follow the approved release. */
async function propose(ctx: Ctx, held: LockedRelease, pending: PendingRelease) {
  const { db, user, now } = ctx
  const { version, policy, stages } = held
  const next = { pending, submitBy: user.uid, submitTime: now.toISOString(), ...updateColumns(policy, user.uid, now) }
  await db.update(otaPolicies).set(next).where(eq(otaPolicies.otaId, policy.otaId))
  const lines = describePendingChange({ ...policy, pending }, stages)
  ctx.audit({
    ...toAuditTarget(version),
    action: `${formatVersionName(version)}的发布修改提交审批：${lines.join('；')}`.slice(0, 500),
  })
  await askApproval(ctx, held, '已提交，等待另一人审批；审批前按已批准的方式继续发布')
  await publishReleaseChanged(ctx.services, db, version.tenantId)
  return { state: policy.state, rev: next.rev }
}

/** Approves or refuses a release. The account that created, uploaded or submitted the version cannot approve. */
export async function reviewRelease(ctx: Ctx, input: ParsedOf<typeof otaRelease.audit>) {
  const { db, user, now } = ctx
  const { otaId, pass, remark } = input
  const held = await lockRelease(db, user, otaId)
  const { version, policy } = held
  const { pending } = policy
  if (!pending) assertReleaseState(policy, [RELEASE_STATE_CODE.waiting], '审批')
  await checkRevision(db, policy, input.rev)
  const block = await findAuditBlock(db, user, version, policy)
  if (block) throw refused(block)
  const decided =
    pass === 1
      ? { state: RELEASE_STATE_CODE.running, stateReason: '' }
      : { state: RELEASE_STATE_CODE.refused, stateReason: remark }
  const next = {
    // A pending change of an approved release does not change the state of the release.
    ...(pending ? { state: policy.state, pending: null } : decided),
    auditBy: user.uid,
    auditTime: now.toISOString(),
    auditRemark: remark,
    ...updateColumns(policy, user.uid, now),
  }
  await db.update(otaPolicies).set(next).where(eq(otaPolicies.otaId, otaId))
  if (pass === 1) await (pending ? applyPending(db, held, pending, now) : startNextStage(db, otaId, now))
  if (pass === 1 && !pending)
    await publishReleaseEvent(ctx.services, db, 'release.published', version, { mode: policy.mode })
  const verdict = pass === 1 ? '通过' : '驳回'
  ctx.audit({
    ...toAuditTarget(version),
    action: `${verdict}${formatVersionName(version)}的发布${remark && `：${remark}`}`,
  })
  ctx.say(pending ? WORDS_OF_CHANGE[pass] : WORDS_OF_RELEASE[pass])
  await sendReleaseMessage(ctx.services, db, {
    tenantId: version.tenantId,
    uids: [policy.submitBy],
    title: `发布审批${verdict}：${version.verName}`,
    text: `${formatVersionName(version)}的发布已被${user.realname || user.account}${verdict}。${remark}`,
    now,
  })
  await publishReleaseChanged(ctx.services, ctx.db, version.tenantId)
  return { state: next.state, rev: next.rev }
}

const WORDS_OF_RELEASE = { 0: '已驳回，版本仍按测试发布进行', 1: '审批通过，发布已开始' } as const
const WORDS_OF_CHANGE = { 0: '已驳回，发布按原来批准的方式继续', 1: '审批通过，修改已生效' } as const

async function askApproval(
  ctx: Ctx,
  { version }: LockedRelease,
  words = '已提交，等待另一人审批；审批前仅白名单设备可升级',
) {
  const { db, user, now, services } = ctx
  ctx.say(words)
  await sendReleaseMessage(services, db, {
    tenantId: version.tenantId,
    uids: await listApprovers(db, version, user.uid),
    title: `待审批的发布：${version.verName}`,
    text: `${user.realname || user.account} 提交了${formatVersionName(version)}的发布，请到「${findArtifactKind(version.kind).page}」审批。`,
    now,
  })
}

/** Throws when a tenant or group does not exist or lies outside the version's reach. */
async function assertReleaseTargets(
  db: Db,
  user: User,
  version: StoredVersion,
  { mode, tenantIds, groupIds }: Publish,
) {
  const isOurs = version.tenantId === PLATFORM_TENANT_ID
  const isLimited = user.scope.tenants !== 'all'
  if (!isOurs && tenantIds.some((tenantId) => tenantId !== version.tenantId))
    throw invalid('该版本只能发布给其所属客户', 'tenantIds')
  const wanted = [...new Set(tenantIds)]
  if (isOurs && isLimited && mode === RELEASE_MODE.formal && wanted.length === 0)
    throw invalid('您的数据范围不包含全部客户，请选择发布的客户', 'tenantIds')
  const mine = and(isTenantActive(), inArray(tenants.id, wanted), scoped(user, { tenant: tenants.id }))
  if (wanted.length > 0 && (await db.$count(tenants, mine)) !== wanted.length)
    throw invalid('客户不存在、已停用或已过期，请重新选择', 'tenantIds')
  const groups = [...new Set(groupIds)]
  const reach = isOurs ? undefined : eq(deviceGroups.tenantId, version.tenantId)
  const known = and(
    notDeleted(deviceGroups),
    inArray(deviceGroups.id, groups),
    reach,
    scoped(user, { tenant: deviceGroups.tenantId }),
  )
  if (groups.length > 0 && (await db.$count(deviceGroups, known)) !== groups.length)
    throw invalid('设备分组不存在或已删除，请重新选择', 'groupIds')
}

/** Returns the columns that a person sets. Columns that a test release does not use are stored too. */
function buildPolicyColumns(input: Publish) {
  const { mode, tenantIds, groupIds, needConfirm, timeoutMinutes, autoRetries } = input
  return {
    mode,
    tenantIds: [...new Set(tenantIds)],
    groupIds: [...new Set(groupIds)],
    needConfirm,
    timeoutMinutes,
    autoRetries,
    ...extractRolloutLimits(input, null),
  }
}

const PLAN_TITLES: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(ReleaseInput.shape).map(([field, schema]) => [field, String(schema.meta()?.title ?? field)]),
  ),
  stages: '阶段',
}

/** True for a formal release that devices get now. A change that needs approval is stored in `pending` meanwhile. */
const isRolledOut = ({ mode, state }: StoredPolicy) =>
  mode === RELEASE_MODE.formal && (state === RELEASE_STATE_CODE.running || state === RELEASE_STATE_CODE.paused)

/** Converts the published input to the form that is stored until a second person approves. */
const toPendingRelease = (input: Publish): PendingRelease => ({
  percent: input.percent,
  plan: { fields: buildPolicyColumns(input), stages: input.stages },
})

/** Applies an approved change to the release: its columns, and its stages when the change has a plan. */
async function applyPending(db: Db, held: LockedRelease, { percent, plan }: PendingRelease, now: Date) {
  const { otaId } = held.policy
  if (!plan) return db.update(otaPolicies).set({ percent }).where(eq(otaPolicies.otaId, otaId))
  const stages = buildStages(otaId, plan.stages, held.stages, computeReachedPercent(held))
  await db
    .update(otaPolicies)
    .set({ ...plan.fields, percent: findFirstPercent(stages, percent) })
    .where(eq(otaPolicies.otaId, otaId))
  await db.delete(otaStages).where(eq(otaStages.otaId, otaId))
  if (stages.length > 0) await db.insert(otaStages).values(stages)
  return startNextStage(db, otaId, now)
}

/** Lists the differences between the release and the pending change, one line each, for the approver. */
export function describePendingChange(policy: StoredPolicy, stages: readonly StoredStage[]): string[] {
  const { pending } = policy
  if (!pending) return []
  const { percent, plan } = pending
  const { mode = policy.mode, ...fields } = plan?.fields ?? {}
  const after = describePlanFields({ ...policy, ...fields, mode, percent }, plan?.stages ?? stages)
  return listChanges(describePlanFields(policy, stages), after, PLAN_TITLES).map(
    ({ title, from, to }) => `${title}：${words(from)} → ${words(to)}`,
  )
}

const words = (value: unknown) =>
  value === null || (Array.isArray(value) && value.length === 0)
    ? '无'
    : Array.isArray(value)
      ? value.join('、')
      : String(value)

interface Plan {
  readonly mode: number
  readonly tenantIds: readonly number[]
}

/**
 * True when this publication requires a second person. The setting is always, never, or above a number of devices.
 */
export async function needsAudit({ config }: Pick<Services, 'config'>, db: Db, version: StoredVersion, plan: Plan) {
  if (plan.mode !== RELEASE_MODE.formal || config.otaTwoPerson === 'off') return false
  if (config.otaTwoPerson === 'on') return true
  const meant = plan.tenantIds.length > 0 ? inArray(devices.tenantId, [...plan.tenantIds]) : undefined
  const { rows } = await db.execute<{ n: number }>(sql`select count(*)::int as n from (
    select from devices where ${and(isTargetDevice(version), meant)} limit ${TWO_PERSON_ABOVE + 1}) as reached`)
  return (rows[0]?.n ?? 0) > TWO_PERSON_ABOVE
}

const auditRight = ({ kind }: Pick<StoredVersion, 'kind'>) => findArtifactKind(kind).release.audit.access

/**
 * Returns the reason why this account may not approve the release, or an empty text. Creator and submitter may not
 * approve.
 */
export async function findAuditBlock(db: Db, user: User, version: StoredVersion, policy: StoredPolicy | undefined) {
  if (!user.can(auditRight(version))) return '您没有发布审批的权限'
  if (policy?.submitBy === user.uid) return '不能审批自己提交的发布，请由另一人审批'
  if (version.createBy === user.uid) return '您是该版本的创建人，请由另一人审批'
  const [uploaded] = await db
    .select({ uid: files.uid })
    .from(otaComponents)
    .innerJoin(files, eq(files.id, otaComponents.fileId))
    .where(and(eq(otaComponents.otaId, version.otaId), eq(files.uid, user.uid)))
    .limit(1)
  return uploaded ? '该版本的组件由您上传，请由另一人审批' : ''
}

const MAX_NOTIFIED = 50

/** Returns the accounts of the version's tenant that may approve, without the submitter. */
async function listApprovers(db: Db, version: StoredVersion, submitBy: number): Promise<number[]> {
  const { rows } = await db.execute<{ uid: number }>(sql`
    select distinct a.uid from accounts a
    join account_roles ar on ar.uid = a.uid
    join roles r on r.id = ar.role_id and r.status = 1 and r.deleted_at is null and r.tenant_id = a.tenant_id
    where a.tenant_id = ${version.tenantId} and a.status = 1 and a.deleted_at is null and a.uid <> ${submitBy}
      and (r.id = ${SUPER_ROLE_ID} or exists (select from role_menus rm join menus m on m.id = rm.menu_id
        where rm.role_id = r.id and m.perms = ${auditRight(version)} and m.status = 1 and m.deleted_at is null))
    order by a.uid limit ${MAX_NOTIFIED}`)
  return rows.map(({ uid }) => uid)
}
