import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { MAX_COMMENTS, type otaChoices } from '@oms/contract/upgrade/upgrade-allowlist.ts'
import type { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import { and, asc, desc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { contains, byName } from '#core/database/lists/list-query.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { accounts } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import { notDeleted, PLATFORM_TENANT_ID, isTenantInScope, scoped } from '#core/tenancy/tenancy.ts'
import { isTenantActive } from '#core/tenancy/tenant-state.ts'
import { visibleDevices } from '#modules/device/device-filter.ts'
import { deviceGroups, deviceModels, devices } from '#modules/device/schema.ts'
import { FIRMWARE_KIND } from './artifact-kind.ts'
import { describePendingChange, findAuditBlock, needsAudit } from './release-save.ts'
import {
  countInstalled,
  isBeyondScope,
  RELEASE_MODE,
  readPolicy,
  STAGE_STATE,
  RELEASE_STATE_CODE,
  listStages,
  type StoredPolicy,
  type StoredStage,
  requireVersion,
  visibleVersions,
} from './release.ts'
import { otaAlarms, otaWhites, otaVersions } from './schema.ts'
import { countResultsSince, countResultsWithin } from './stages.ts'
import { countTasksByState, visibleTasks } from './task.ts'

const MAX_CHOICES = 100
const MAX_ALARMS = 20

/** Returns a release for its page. A version that was never enabled shows the defaults of a test release. */
export async function getRelease({ db, user, services }: Ctx, { otaId }: ParsedOf<typeof otaRelease.get>) {
  const version = await requireVersion(db, user, otaId)
  const stored = await readPolicy(db, otaId)
  const policy = stored ?? NONE
  // Sequential: a tenant reads inside a transaction, which runs one query at a time.
  const stages = []
  const isBeyond = await isBeyondScope(db, user, otaId)
  for (const stage of await listStages(db, otaId))
    stages.push(await (isBeyond ? visibleStage(db, user, stage) : shownStage(db, stage)))
  const names = await namesOf(db, user, policy, version.tenantId)
  const model = await modelNameOf(db, version.modelId)
  const { tenantIds, groupIds } = policy
  return {
    ...pickVersion(version),
    ...pickPolicy(policy),
    pending: await showPending(db, stored, isBeyond),
    modelName: model,
    tenantName: names.tenants.get(version.tenantId) ?? '',
    stateReason: isBeyond ? '' : policy.stateReason,
    tenants: tenantIds
      .filter((id) => isTenantInScope(user, id))
      .map((id) => ({ id, name: names.tenants.get(id) ?? `客户 ${id}` })),
    groups: groupIds
      .filter((id) => !names.hiddenGroups.has(id))
      .map((id) => ({ id, name: names.groups.get(id) ?? `分组 ${id}（已删除）` })),
    submitByName: names.people.get(policy.submitBy ?? 0) ?? '',
    auditByName: names.people.get(policy.auditBy ?? 0) ?? '',
    stages,
    counts: await countTasksByState(db, user, { otaId }),
    whites: await whitesOf(db, user, otaId),
    installed: await countInstalled(db, version, limitOf(user)),
    canSteer: !isBeyond,
    needsAudit: !isBeyond && (await needsAudit(services, db, version, { ...policy, ...targetsOf(user, policy) })),
    auditBlock: await findAuditBlock(db, user, version, stored),
    alarms: isBeyond ? [] : await alarmsOf(db, user, otaId),
  }
}

/** Lists groups that a release may be limited to. */
export async function listReleaseGroups({ db, user }: Ctx, { otaId, keyword }: ParsedOf<typeof otaRelease.groups>) {
  const version = await requireVersion(db, user, otaId)
  const reach = version.tenantId === PLATFORM_TENANT_ID ? undefined : eq(deviceGroups.tenantId, version.tenantId)
  const rows = await db
    .select({ id: deviceGroups.id, name: deviceGroups.groupName, tenantName: tenants.name })
    .from(deviceGroups)
    .leftJoin(tenants, eq(tenants.id, deviceGroups.tenantId))
    .where(
      and(
        notDeleted(deviceGroups),
        eq(deviceGroups.status, 1),
        reach,
        scoped(user, { tenant: deviceGroups.tenantId }),
        contains(deviceGroups.groupName, keyword),
      ),
    )
    .orderBy(asc(byName(deviceGroups.groupName)), asc(deviceGroups.id))
    .limit(MAX_CHOICES)
  return rows.map((row) => ({ ...row, tenantName: row.tenantName ?? '' }))
}

type Policy = Omit<StoredPolicy, 'otaId' | 'tenantId' | 'createBy' | 'createTime' | 'updateBy' | 'updateTime'>

const NONE: Policy = {
  mode: RELEASE_MODE.test,
  state: RELEASE_STATE_CODE.running,
  stateReason: '',
  percent: 10_000,
  tenantIds: [],
  groupIds: [],
  startTime: null,
  endTime: null,
  dailyStart: null,
  dailyEnd: null,
  needConfirm: false,
  maxDownloads: null,
  perMinute: null,
  bandwidth: null,
  timeoutMinutes: 1440,
  autoRetries: 0,
  pending: null,
  submitBy: null,
  submitTime: null,
  auditBy: null,
  auditTime: null,
  auditRemark: '',
  rev: 0,
}

function pickPolicy(policy: Policy) {
  const {
    tenantIds: _tenantIds,
    groupIds: _groupIds,
    pending: _pending,
    submitBy: _submitBy,
    auditBy: _auditBy,
    ...fields
  } = policy
  return fields
}

function pickVersion(version: Awaited<ReturnType<typeof requireVersion>>) {
  const { otaId, verCode, verName, modelId, packageName, kind, status, releaseDate, oldVerMin, oldVerMax, tenantId } =
    version
  return { otaId, verCode, verName, modelId, packageName, kind, status, releaseDate, oldVerMin, oldVerMax, tenantId }
}

async function shownStage(db: Db, { otaId, ...stage }: StoredStage) {
  const isOpen = stage.state === STAGE_STATE.running && stage.startTime !== null
  const live = isOpen ? await countResultsSince(db, otaId, stage.startTime as string) : undefined
  return { ...stage, succeeded: live?.succeeded ?? stage.succeeded ?? 0, failed: live?.failed ?? stage.failed ?? 0 }
}

/** Recalculates the results of a stage from the visible tasks, because the stored counts include every tenant. */
async function visibleStage(db: Db, user: User, { otaId, ...stage }: StoredStage) {
  const period = stage.startTime && { since: stage.startTime, until: stage.judgeTime, which: visibleTasks(user) }
  return { ...stage, ...(period ? await countResultsWithin(db, otaId, period) : { succeeded: 0, failed: 0 }) }
}

/** Shown in place of a waiting change that names tenants or groups outside the data scope. */
const BEYOND_SCOPE = '修改涉及您数据范围之外的客户'

async function showPending(db: Db, stored: StoredPolicy | undefined, isBeyond: boolean) {
  if (!stored?.pending) return null
  const lines = isBeyond ? [BEYOND_SCOPE] : describePendingChange(stored, await listStages(db, stored.otaId))
  return { percent: stored.pending.percent, lines }
}

/** Returns the condition for visible devices, or undefined when the data scope is unlimited. */
const limitOf = (user: User) => (user.scope.tenants === 'all' ? undefined : visibleDevices(user))

function whitesOf(db: Db, user: User, otaId: number) {
  const limit = limitOf(user)
  const inSight = limit && sql`exists (select from devices where ${devices.id} = ${otaWhites.deviceId} and ${limit})`
  return db.$count(otaWhites, and(eq(otaWhites.otaId, otaId), inSight))
}

/** Returns the target tenants of a formal release: the chosen tenants, or all tenants within the data scope. */
const targetsOf = ({ scope }: User, { tenantIds }: Policy) => ({
  mode: RELEASE_MODE.formal,
  tenantIds: tenantIds.length > 0 || scope.tenants === 'all' ? tenantIds : [...scope.tenants],
})

async function modelNameOf(db: Db, modelId: number) {
  const [model] = await db
    .select({ name: deviceModels.modelName })
    .from(deviceModels)
    .where(eq(deviceModels.id, modelId))
  return model?.name ?? ''
}

async function namesOf(db: Db, user: User, { tenantIds, groupIds, submitBy, auditBy }: Policy, ownerId: number) {
  const people = [submitBy, auditBy].filter((uid): uid is number => uid !== null)
  const ofTenants = await db
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(inArray(tenants.id, [ownerId, ...tenantIds]))
  const ofGroups = groupIds.length
    ? await db
        .select({ id: deviceGroups.id, name: deviceGroups.groupName, tenantId: deviceGroups.tenantId })
        .from(deviceGroups)
        .where(and(notDeleted(deviceGroups), inArray(deviceGroups.id, [...groupIds])))
    : []
  const ofPeople = people.length
    ? await db
        .select({ id: accounts.uid, name: accounts.realname, account: accounts.account })
        .from(accounts)
        .where(inArray(accounts.uid, people))
    : []
  return {
    tenants: new Map(ofTenants.map(({ id, name }) => [id, name])),
    groups: new Map(ofGroups.map(({ id, name }) => [id, name])),
    hiddenGroups: new Set(ofGroups.filter(({ tenantId }) => !isTenantInScope(user, tenantId)).map(({ id }) => id)),
    people: new Map(ofPeople.map(({ id, name, account }) => [id, name || account])),
  }
}

const alarmsOf = (db: Db, user: User, otaId: number) =>
  db
    .select({
      id: otaAlarms.id,
      kind: otaAlarms.kind,
      message: otaAlarms.message,
      createTime: otaAlarms.createTime,
    })
    .from(otaAlarms)
    .where(and(eq(otaAlarms.otaId, otaId), isNull(otaAlarms.closeTime), scoped(user, { tenant: otaAlarms.tenantId })))
    .orderBy(desc(otaAlarms.id))
    .limit(MAX_ALARMS)

const MAX_TENANTS = 100

/** Lists release notes of the enabled versions, newest first. */
export function listReleaseNotes({ db, user }: Ctx, input: ParsedOf<typeof otaChoices.verComments>) {
  const { modelId, verName } = input
  return db
    .select({
      otaId: otaVersions.otaId,
      modelId: otaVersions.modelId,
      modelName: deviceModels.modelName,
      packageName: otaVersions.packageName,
      verCode: otaVersions.verCode,
      verName: otaVersions.verName,
      releaseDate: otaVersions.releaseDate,
      description: otaVersions.description,
    })
    .from(otaVersions)
    .innerJoin(deviceModels, eq(deviceModels.id, otaVersions.modelId))
    .where(
      and(
        visibleVersions(user),
        eq(otaVersions.status, 1),
        eq(otaVersions.kind, FIRMWARE_KIND.kind),
        modelId === undefined ? undefined : eq(otaVersions.modelId, modelId),
        contains(otaVersions.verName, verName),
      ),
    )
    .orderBy(desc(otaVersions.releaseDate), desc(otaVersions.otaId))
    .limit(MAX_COMMENTS)
}

/** Lists active tenants whose name contains a text, for a selection field. */
export function listTenantChoices({ db, user }: Ctx, { name }: ParsedOf<typeof otaChoices.tenants>) {
  return db
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(and(isTenantActive(), scoped(user, { tenant: tenants.id }), contains(tenants.name, name)))
    .orderBy(asc(byName(tenants.name)), asc(tenants.id))
    .limit(MAX_TENANTS)
}
