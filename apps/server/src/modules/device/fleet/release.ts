import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { TWO_PERSON_ABOVE } from '@oms/contract/upgrade/upgrade-release.ts'
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { devices } from '../schema.ts'
import { otaPolicies, otaStages, otaTasks } from '#modules/upgrade/schema.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

/** Columns of a version that decide which devices the version targets. */
export interface TargetDevices {
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
export interface ReleaseEditor {
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
export interface CancelledTasks {
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
