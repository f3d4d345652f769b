import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { otaRelease } from '@oms/contract/upgrade-release.ts'
import { and, asc, desc, eq, inArray, isNull } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { accounts } from '#db/schema/account.ts'
import { deviceGroups, deviceModels } from '#db/schema/device.ts'
import { tenants } from '#db/schema/tenant.ts'
import { otaAlarms, otaWhites } from '#db/schema/upgrade.ts'
import type { Ctx, User } from '#kernel/context.ts'
import { installedOf } from '#kernel/fleet/release.ts'
import { contains } from '#kernel/query.ts'
import { alive, PLATFORM_TENANT_ID, scoped } from '#kernel/tenancy.ts'
import {
  MODE,
  policyOf,
  STAGE,
  STATE,
  stagesOf,
  type StoredPolicy,
  type StoredStage,
  versionOf,
} from './release-rows.ts'
import { resultsSince } from './stage-steps.ts'
import { countsOf } from './task-rows.ts'
import { auditBlockOf, needsAudit } from './two-person.ts'

const MAX_CHOICES = 100
const MAX_ALARMS = 20

/** A release as its page shows it. A version that was never enabled shows what a test release would be. */
export async function get({ db, user, kernel }: Ctx, { otaId }: ParsedOf<typeof otaRelease.get>) {
  const version = await versionOf(db, user, otaId)
  const stored = await policyOf(db, otaId)
  const policy = stored ?? NONE
  // One after the other: a customer reads inside a transaction, which takes one query at a time.
  const stages = []
  for (const stage of await stagesOf(db, otaId)) stages.push(await shownStage(db, stage))
  const names = await namesOf(db, policy, version.tenantId)
  const model = await modelNameOf(db, version.modelId)
  const { tenantIds, groupIds } = policy
  return {
    ...pickVersion(version),
    ...pickPolicy(policy),
    modelName: model,
    tenantName: names.tenants.get(version.tenantId) ?? '',
    tenants: tenantIds.map((id) => ({ id, name: names.tenants.get(id) ?? `客户 ${id}` })),
    groups: groupIds.map((id) => ({ id, name: names.groups.get(id) ?? `分组 ${id}（已删除）` })),
    submitByName: names.people.get(policy.submitBy ?? 0) ?? '',
    auditByName: names.people.get(policy.auditBy ?? 0) ?? '',
    stages,
    counts: await countsOf(db, user, { otaId }),
    whites: await db.$count(otaWhites, eq(otaWhites.otaId, otaId)),
    installed: await installedOf(db, version),
    needsAudit: await needsAudit(kernel, db, version, { ...policy, mode: MODE.formal }),
    auditBlock: await auditBlockOf(db, user, version, stored),
    alarms: await alarmsOf(db, user, otaId),
  }
}

/** Groups a release may be narrowed to. */
export async function groups({ db, user }: Ctx, { otaId, keyword }: ParsedOf<typeof otaRelease.groups>) {
  const version = await versionOf(db, user, otaId)
  const reach = version.tenantId === PLATFORM_TENANT_ID ? undefined : eq(deviceGroups.tenantId, version.tenantId)
  const rows = await db
    .select({ id: deviceGroups.id, name: deviceGroups.groupName, tenantName: tenants.name })
    .from(deviceGroups)
    .leftJoin(tenants, eq(tenants.id, deviceGroups.tenantId))
    .where(
      and(
        alive(deviceGroups),
        eq(deviceGroups.status, 1),
        reach,
        scoped(user, { tenant: deviceGroups.tenantId }),
        contains(deviceGroups.groupName, keyword),
      ),
    )
    .orderBy(asc(deviceGroups.groupName), asc(deviceGroups.id))
    .limit(MAX_CHOICES)
  return rows.map((row) => ({ ...row, tenantName: row.tenantName ?? '' }))
}

type Policy = Omit<StoredPolicy, 'otaId' | 'tenantId' | 'createBy' | 'createTime' | 'updateBy' | 'updateTime'>

const NONE: Policy = {
  mode: MODE.test,
  state: STATE.running,
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
  submitBy: null,
  submitTime: null,
  auditBy: null,
  auditTime: null,
  auditRemark: '',
  rev: 0,
}

function pickPolicy(policy: Policy) {
  const { tenantIds: _tenantIds, groupIds: _groupIds, submitBy: _submitBy, auditBy: _auditBy, ...shown } = policy
  return shown
}

function pickVersion(version: Awaited<ReturnType<typeof versionOf>>) {
  const { otaId, verCode, verName, modelId, packageName, kind, status, releaseDate, oldVerMin, oldVerMax, tenantId } =
    version
  return { otaId, verCode, verName, modelId, packageName, kind, status, releaseDate, oldVerMin, oldVerMax, tenantId }
}

async function shownStage(db: Db, { otaId, ...stage }: StoredStage) {
  const isOpen = stage.state === STAGE.running && stage.startTime !== null
  const live = isOpen ? await resultsSince(db, otaId, stage.startTime as string) : undefined
  return { ...stage, succeeded: live?.succeeded ?? stage.succeeded ?? 0, failed: live?.failed ?? stage.failed ?? 0 }
}

async function modelNameOf(db: Db, modelId: number) {
  const [model] = await db
    .select({ name: deviceModels.modelName })
    .from(deviceModels)
    .where(eq(deviceModels.id, modelId))
  return model?.name ?? ''
}

async function namesOf(db: Db, { tenantIds, groupIds, submitBy, auditBy }: Policy, ownerId: number) {
  const people = [submitBy, auditBy].filter((uid): uid is number => uid !== null)
  const ofTenants = await db
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(inArray(tenants.id, [ownerId, ...tenantIds]))
  const ofGroups = groupIds.length
    ? await db
        .select({ id: deviceGroups.id, name: deviceGroups.groupName })
        .from(deviceGroups)
        .where(and(alive(deviceGroups), inArray(deviceGroups.id, [...groupIds])))
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
