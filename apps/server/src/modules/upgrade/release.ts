import { RELEASE_STATE, TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { TWO_PERSON_ABOVE } from '@oms/contract/upgrade/upgrade-release.ts'
import { and, asc, eq, isNull, type SQL, sql, type AnyColumn, not, ne } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { notFound, refused } from '#core/http/api-error.ts'
import type { User } from '#core/http/context.ts'
import type { Services } from '#core/services.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { devices } from '#modules/device/schema.ts'
import { publishOutboxEvent } from '#modules/integration/index.ts'
import { findArtifactKind } from './artifact-kind.ts'
import { otaVersions, otaPolicies, otaStages, otaTasks } from './schema.ts'

export type StoredVersion = typeof otaVersions.$inferSelect
export type StoredPolicy = typeof otaPolicies.$inferSelect
export type StoredStage = typeof otaStages.$inferSelect

export const RELEASE_MODE = { test: 1, formal: 2 } as const
export const RELEASE_STATE_CODE = { running: 0, waiting: 1, refused: 2, paused: 3, stopped: 4 } as const
export const STAGE_STATE = { waiting: 0, running: 1, passed: 2, failed: 3, skipped: 4 } as const

/** Returns a visible version. A version of another tenant is reported as not found. */
export async function requireVersion(db: Db, user: User, otaId: number): Promise<StoredVersion> {
  const [found] = await db
    .select()
    .from(otaVersions)
    .where(and(eq(otaVersions.otaId, otaId), visibleVersions(user)))
  if (!found) throw notFound('版本')
  return found
}

/**
 * Returns a version whose release lies within the account's data scope. Refuses a release that also reaches other
 * tenants.
 */
export async function requireChangeableVersion(db: Db, user: User, otaId: number): Promise<StoredVersion> {
  const version = await requireVersion(db, user, otaId)
  await assertReleaseInScope(db, user, otaId)
  return version
}

export async function readPolicy(db: Db, otaId: number): Promise<StoredPolicy | undefined> {
  const [found] = await db.select().from(otaPolicies).where(eq(otaPolicies.otaId, otaId))
  return found
}

export const listStages = (db: Db, otaId: number): Promise<StoredStage[]> =>
  db.select().from(otaStages).where(eq(otaStages.otaId, otaId)).orderBy(asc(otaStages.seq))

export interface LockedRelease {
  readonly version: StoredVersion
  readonly policy: StoredPolicy
  readonly stages: StoredStage[]
}

/**
 * Returns the release, locked until the transaction ends; the stage evaluation skips a locked release. Enabling,
 * disabling and this function lock the version first, which prevents deadlocks. Refuses a release beyond the data
 * scope.
 */
export async function lockRelease(db: Db, user: User, otaId: number): Promise<LockedRelease> {
  const [version] = await db
    .select()
    .from(otaVersions)
    .where(and(eq(otaVersions.otaId, otaId), visibleVersions(user)))
    .for('share')
  if (!version) throw notFound('版本')
  if (version.status !== 1) throw refused('该版本未启用，请先启用')
  const [policy] = await db.select().from(otaPolicies).where(eq(otaPolicies.otaId, otaId)).for('update')
  if (!policy) throw refused('该版本没有发布记录，请停用后重新启用')
  await assertReleaseInScope(db, user, otaId)
  return { version, policy, stages: await listStages(db, otaId) }
}

/** Throws unless the release is in one of these states. The error names the current state. */
export function assertReleaseState({ state }: StoredPolicy, allowed: readonly number[], what: string) {
  if (allowed.includes(state)) return
  throw refused(`发布${RELEASE_STATE[state as keyof typeof RELEASE_STATE] ?? state}，不能${what}`)
}

type Named = Pick<StoredVersion, 'kind' | 'verName' | 'verCode' | 'packageName'>

/**
 * Formats a version's name for the operation log and for notices: `固件版本「秋季版」(100)`, `软件包版本「秋季版」(com.oms.voice 100)`.
 */
export const formatVersionName = ({ kind, verName, verCode, packageName }: Named) =>
  `${findArtifactKind(kind).noun}「${verName}」(${packageName ? `${packageName} ` : ''}${verCode})`

/** Returns the business type and id under which the operation log stores changes of a version. */
export const toAuditTarget = ({ kind, otaId }: Pick<StoredVersion, 'kind' | 'otaId'>) => ({
  bizType: findArtifactKind(kind).bizType,
  bizId: otaId,
})

/** Publishes a change so that open consoles reload the version list and the release pages. */
export async function publishReleaseChanged({ events }: Pick<Services, 'events'>, db: Db, tenantId: number) {
  await events.publish(db, 'changed', { resource: 'device', tenantId })
  await events.publish(db, 'changed', { resource: 'upgrade', tenantId })
}

/** Publishes an event of a release to webhooks and robots. */
export const publishReleaseEvent = (
  services: Pick<Services, 'events'>,
  db: Db,
  type: 'release.published' | 'release.paused' | 'release.alarm',
  { otaId, tenantId, verCode, verName }: Pick<StoredVersion, 'otaId' | 'tenantId' | 'verCode' | 'verName'>,
  more: Readonly<Record<string, unknown>> = {},
) => publishOutboxEvent(services, db, { type, tenantId, data: { otaId, verCode, verName, ...more } })

/** Columns of a version that decide which devices the version targets. */
interface TargetDevices {
  readonly otaId: number
  readonly tenantId: number
  readonly modelId: number
  readonly packageName: string
  readonly verCode: number
}

/**
 * Returns the condition for a version's target devices: of its model, and of its tenant unless the vendor owns the
 * version.
 */
export const isTargetDevice = ({ tenantId, modelId }: Pick<TargetDevices, 'tenantId' | 'modelId'>): SQL | undefined =>
  and(
    notDeleted(devices),
    eq(devices.modelId, modelId),
    tenantId === PLATFORM_TENANT_ID ? undefined : eq(devices.tenantId, tenantId),
  )

/** The account that changes a release and the two-person setting. */
interface ReleaseEditor {
  readonly uid: number
  readonly now: Date
  readonly twoPerson: 'auto' | 'on' | 'off'
}

/**
 * Creates the release of a newly enabled version as a test release for its allowlist. Enabling again starts a new
 * release: devices with a cancelled task may get the version again. Devices with a failed task need a retry.
 */
export async function createTestRelease(db: Db, { otaId, tenantId }: TargetDevices, changer: ReleaseEditor) {
  const time = changer.now.toISOString()
  const who = { createBy: changer.uid, createTime: time, updateBy: changer.uid, updateTime: time }
  await db.delete(otaStages).where(eq(otaStages.otaId, otaId))
  await db.delete(otaPolicies).where(eq(otaPolicies.otaId, otaId))
  await db.insert(otaPolicies).values({ otaId, tenantId, ...who })
  await db
    .update(otaTasks)
    .set({ retried: true })
    .where(and(eq(otaTasks.otaId, otaId), eq(otaTasks.state, TASK_STATE_CODE.cancelled), eq(otaTasks.retried, false)))
  await lockLargeAllowlist(db, otaId, changer)
}

/**
 * Pauses the release when its allowlist exceeds the limit for one person; a second person must resume. Otherwise an
 * allowlist of all devices would bypass approval. Returns true when the release was paused.
 */
export async function lockLargeAllowlist(
  db: Db,
  otaId: number,
  { uid, now, twoPerson }: ReleaseEditor,
): Promise<boolean> {
  if (twoPerson === 'off') return false
  const few = sql`(select count(*) from (select from ota_whites where ota_id = ${otaId} limit ${TWO_PERSON_ABOVE + 1}) w)`
  const { rowCount } = await db.execute(sql`
    update ota_policies set state = ${PAUSED}, state_reason = ${LARGE_ALLOWLIST}, submit_by = ${uid},
      submit_time = ${now.toISOString()}, audit_by = null, audit_time = null, audit_remark = '', rev = rev + 1,
      update_by = ${uid}, update_time = ${now.toISOString()}
    where ota_id = ${otaId} and state in (0, 1, 2) and ${few} > ${TWO_PERSON_ABOVE}`)
  return (rowCount ?? 0) > 0
}
const PAUSED = 3
/** Reason shown while the release waits for a second person. */
export const LARGE_ALLOWLIST = `白名单超过 ${TWO_PERSON_ABOVE} 台，须由另一人核对后继续`

/** Result of a cancellation: unfetched tasks are closed, others wait for the device's report. */
interface CancelledTasks {
  readonly cancelled: number
  readonly cancelling: number
}

/** Cancels matching open tasks with one statement. Devices learn of the cancellation at their next poll. */
export async function cancelTasks(db: Db, which: SQL, reason: string): Promise<CancelledTasks> {
  const open = and(which, isNull(otaTasks.closeTime), sql`${otaTasks.state} <> ${TASK_STATE_CODE.cancelling}`)
  const unfetched = sql.raw(`state in (${TASK_STATE_CODE.offered}, ${TASK_STATE_CODE.confirming})`)
  const { rows } = await db.execute<{ closed: number; asked: number }>(sql`
    with changed as (
      update ota_tasks set update_time = now(), reason = ${reason}, close_time = case when ${unfetched} then now() end,
        state = case when ${unfetched} then ${sql.raw(`${TASK_STATE_CODE.cancelled} else ${TASK_STATE_CODE.cancelling}`)} end
      where ${open} returning task_id, state
    ), said as (
      insert into ota_task_logs (task_id, state, details) select task_id, state, array[${reason}]::text[] from changed
    )
    select count(*) filter (where state = ${TASK_STATE_CODE.cancelled})::int as closed,
      count(*) filter (where state = ${TASK_STATE_CODE.cancelling})::int as asked from changed`)
  const { closed = 0, asked = 0 } = rows[0] ?? {}
  return { cancelled: closed, cancelling: asked }
}

interface Recall {
  readonly uid: number
  readonly now: Date
  /** Condition for the devices whose installations the caller may count. Absent counts all. */
  readonly visible?: SQL | undefined
}

/** Ends the release of a disabled version and counts the devices that installed the version. */
export async function recallRelease(db: Db, version: TargetDevices, { uid, now, visible }: Recall) {
  const { otaId } = version
  await db
    .update(otaPolicies)
    .set({ state: 4, stateReason: '版本已停用', updateBy: uid, updateTime: now.toISOString(), rev: sql`rev + 1` })
    .where(eq(otaPolicies.otaId, otaId))
  const tasks = await cancelTasks(db, eq(otaTasks.otaId, otaId), '版本已停用')
  return { ...tasks, installed: await countInstalled(db, version, visible) }
}

/** Counts the devices that report this version as installed. `visible` limits the count to these devices. */
export async function countInstalled(db: Db, version: TargetDevices, visible?: SQL) {
  const runsIt = version.packageName
    ? sql`exists (select from device_packages p where p.device_id = ${devices.id}
        and p.package_name = ${version.packageName} and p.ver_code = ${version.verCode})`
    : eq(devices.verCode, version.verCode)
  return db.$count(devices, and(isTargetDevice(version), runsIt, visible))
}

/** Returns the text of a recall for the person. Empty when nothing was cancelled or installed. */
export function describeRecall({ cancelled, cancelling, installed }: CancelledTasks & { readonly installed: number }) {
  const said = [
    cancelled + cancelling > 0 ? `已取消 ${cancelled + cancelling} 个升级任务` : '',
    cancelling > 0 ? `其中 ${cancelling} 个等待设备响应` : '',
    installed > 0 ? `${installed} 台设备已安装该版本，不受影响` : '',
  ]
  return said.filter(Boolean).join('，')
}

/**
 * SQL condition: the release of a platform version reaches a tenant outside the account's data scope, by its targets, the
 * targets of a change that waits for approval, its allowlist or its open tasks. Undefined when the scope has no limit.
 * The version of a tenant reaches that tenant only.
 */
function buildBeyondScopeCondition({ scope }: Pick<User, 'scope'>, otaId: AnyColumn | number): SQL | undefined {
  if (scope.tenants === 'all') return undefined
  const inside = sql`${sql.param([...scope.tenants])}::int[]`
  const reaches = (
    tenantIds: SQL,
    groupIds: SQL,
  ) => sql`case when ${tenantIds} <> '{}' then not ${tenantIds} <@ ${inside}
    when ${groupIds} <> '{}' then exists (select from unnest(${groupIds}) as g(id)
      left join device_groups dg on dg.id = g.id
      where dg.id is null or dg.tenant_id = ${PLATFORM_TENANT_ID} or dg.tenant_id <> all(${inside}))
    else true end`
  const waiting = (field: string) => sql`array(select jsonb_array_elements_text(
    p.pending #> array['plan', 'fields', ${sql.raw(`'${field}'`)}])::int)`
  return sql`exists (select from ota_versions rv left join ota_policies p on p.ota_id = rv.ota_id
    where rv.ota_id = ${otaId} and rv.tenant_id = ${PLATFORM_TENANT_ID} and (
      (rv.status = 1 and p.mode = 2 and p.state <> 4 and ${reaches(sql`p.tenant_ids`, sql`p.group_ids`)})
      or (p.pending ? 'plan' and ${reaches(waiting('tenantIds'), waiting('groupIds'))})
      or exists (select from ota_whites w join devices d on d.id = w.device_id
        where w.ota_id = rv.ota_id and d.deleted_at is null and d.tenant_id <> all(${inside}))
      or exists (select from ota_tasks t
        where t.ota_id = rv.ota_id and t.close_time is null and t.tenant_id <> all(${inside}))))`
}

export async function isBeyondScope(db: Db, user: Pick<User, 'scope'>, otaId: number): Promise<boolean> {
  const beyond = buildBeyondScopeCondition(user, otaId)
  if (!beyond) return false
  const { rows } = await db.execute<{ beyond: boolean }>(sql`select ${beyond} as beyond`)
  return rows[0]?.beyond === true
}

/** Refuses to change a release that also concerns tenants outside the account's data scope. */
export async function assertReleaseInScope(db: Db, user: Pick<User, 'scope'>, otaId: number): Promise<void> {
  if (await isBeyondScope(db, user, otaId)) throw refused('该版本的发布涉及您数据范围之外的客户，您只能查看')
}

/**
 * Returns the condition for versions, of one artifact kind when given, that the account may see. Every query on versions
 * includes the condition.
 */
export const visibleVersions = (user: User, kind?: 1 | 2): SQL | undefined =>
  and(
    notDeleted(otaVersions),
    kind && eq(otaVersions.kind, kind),
    scoped(user, { tenant: otaVersions.tenantId, creator: otaVersions.createBy }),
  )

/** Returns the condition for versions whose release concerns only tenants in the account's data scope. */
export function buildReleaseInScopeCondition(user: User): SQL | undefined {
  const beyond = buildBeyondScopeCondition(user, otaVersions.otaId)
  return beyond && not(beyond)
}

/**
 * Returns the condition for versions with a release, or a change of a release, that the account may approve. Submitter,
 * creator and uploader may not approve.
 */
export const isAwaitingAudit = (user: User): SQL | undefined =>
  and(
    sql`exists (select from ota_policies p where p.ota_id = ${otaVersions.otaId}
      and (p.state = 1 or p.pending is not null) and p.submit_by <> ${user.uid})`,
    sql`${otaVersions.createBy} is distinct from ${user.uid}`,
    sql`not exists (select from ota_components c join files f on f.id = c.file_id
      where c.ota_id = ${otaVersions.otaId} and f.uid = ${user.uid})`,
    buildReleaseInScopeCondition(user),
  )

/** Returns the condition for versions with an open alarm. */
export const hasOpenAlarm = (user: User): SQL | undefined =>
  and(
    sql`exists (select from ota_alarms a where a.ota_id = ${otaVersions.otaId} and a.close_time is null)`,
    buildReleaseInScopeCondition(user),
  )

/**
 * Moves a device to another model. Cancels the open task: the image of the former model would destroy the device. Returns
 * false when the device has this model already.
 */
export async function moveToModel(db: Db, deviceId: number, modelId: number): Promise<boolean> {
  const moved = await db
    .update(devices)
    .set({ modelId })
    .where(and(eq(devices.id, deviceId), ne(devices.modelId, modelId)))
  if (!moved.rowCount) return false
  await cancelTasks(db, eq(otaTasks.deviceId, deviceId), '设备已换为其他型号')
  return true
}
