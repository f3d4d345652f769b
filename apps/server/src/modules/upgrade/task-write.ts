import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { TASK_STATE, TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { otaTask } from '@oms/contract/upgrade/upgrade-task.ts'
import { and, desc, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { invalid, refused } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { visibleDevices, visibleTasks } from '#modules/device/device-filter.ts'
import { cancelTasks, isTargetDevice } from './releases/release-rules.ts'
import { findStandingProblem, TENANT_STANDING_COLUMNS } from '#core/tenancy/tenant-state.ts'
import { devicePackages, devices } from '#modules/device/schema.ts'
import { tenants } from '#core/schema/tenant.ts'
import { otaTaskLogs, otaTasks } from './schema.ts'
import {
  formatVersionName,
  publishReleaseChanged,
  requireVersion,
  type StoredVersion,
  toAuditTarget,
} from './releases/release-rows.ts'

/** Retries failed tasks: all, the given tasks, or those of one failure reason. */
export async function retryTasks(ctx: Ctx, { otaId, taskIds, reason }: ParsedOf<typeof otaTask.retry>) {
  const { db, user } = ctx
  const version = await requireVersion(db, user, otaId)
  if (version.status !== 1) throw refused('该版本未启用，不能重试')
  await db.execute(sql`set local statement_timeout = '50s'`)
  const done = await db
    .update(otaTasks)
    .set({ retried: true })
    .where(
      and(
        visibleTasks(user),
        eq(otaTasks.otaId, otaId),
        eq(otaTasks.state, TASK_STATE_CODE.failed),
        eq(otaTasks.retried, false),
        taskIds && inArray(otaTasks.taskId, taskIds),
        reason === undefined ? undefined : eq(otaTasks.reason, reason),
      ),
    )
  const count = done.rowCount ?? 0
  if (count === 0) throw refused('没有可以重试的失败任务')
  ctx.audit({ ...toAuditTarget(version), action: `重试${formatVersionName(version)}的 ${count} 个失败任务` })
  ctx.say(`已安排 ${count} 台设备重试，设备下次检查时生效`)
  await publishReleaseChanged(ctx.services, db, version.tenantId)
  return { count }
}

/** Cancels open tasks. A task that no device has fetched ends immediately, another task when its device reports. */
export async function cancelOpenTasks(ctx: Ctx, { otaId, taskIds, reason }: ParsedOf<typeof otaTask.cancel>) {
  const { db, user } = ctx
  const version = await requireVersion(db, user, otaId)
  const which = and(visibleTasks(user), eq(otaTasks.otaId, otaId), inArray(otaTasks.taskId, taskIds)) as SQL
  const ended = await cancelTasks(db, which, reason ? `人工取消：${reason}` : '人工取消')
  const { cancelled, cancelling } = ended
  if (cancelled + cancelling === 0) throw refused('所选任务已结束或正在取消')
  const words = `取消 ${cancelled} 个任务${cancelling > 0 ? `，${cancelling} 个等待设备响应` : ''}`
  ctx.audit({ ...toAuditTarget(version), action: `${formatVersionName(version)}：${words}` })
  ctx.say(`已${words}`)
  await publishReleaseChanged(ctx.services, db, version.tenantId)
  return ended
}

/**
 * Creates a task for one device regardless of the release. A downgrade or reinstallation requires the accepted risk.
 */
export async function pushToDevice(ctx: Ctx, { otaId, sn, risky }: ParsedOf<typeof otaTask.push>) {
  const { db, user } = ctx
  const version = await requireVersion(db, user, otaId)
  if (version.status !== 1) throw refused('只能推送已启用的版本')
  const device = await deviceOf(ctx, version, sn)
  const runs = device.verCode
  const isStepBack = runs !== null && runs >= version.verCode
  if (isStepBack && risky !== 1)
    throw refused(
      runs === version.verCode
        ? `设备当前已是版本 ${runs}，重装有风险，请确认后再推送`
        : `设备当前版本 ${runs} 高于目标版本 ${version.verCode}，降级有风险，请确认后再推送`,
    )
  const { packageName, verCode } = version
  const task = await insertPushedTask(ctx, version, device)
  if (!task) throw refused(await openInWords(ctx, device.id, packageName))
  const risk = isStepBack ? (runs === verCode ? '（重装，已确认风险）' : `（由 ${runs} 降级，已确认风险）`) : ''
  await db.insert(otaTaskLogs).values({
    taskId: task.taskId,
    state: TASK_STATE_CODE.offered,
    details: [`由 ${user.realname || user.account} 推送${risk}`],
  })
  ctx.audit({ ...toAuditTarget(version), action: `推送${formatVersionName(version)}到设备 ${device.sn}${risk}` })
  ctx.say('推送成功，设备下次检查时收到')
  await publishReleaseChanged(ctx.services, db, version.tenantId)
  return task
}

/** Inserts the next attempt of the device. Returns undefined when the device has an open task for the package. */
async function insertPushedTask({ db }: Ctx, version: StoredVersion, device: Awaited<ReturnType<typeof deviceOf>>) {
  const [last] = await db
    .select({ attempt: otaTasks.attempt })
    .from(otaTasks)
    .where(and(eq(otaTasks.deviceId, device.id), eq(otaTasks.otaId, version.otaId)))
    .orderBy(desc(otaTasks.taskId))
    .limit(1)
  const [task] = await db
    .insert(otaTasks)
    .values({
      otaId: version.otaId,
      deviceId: device.id,
      tenantId: device.tenantId,
      modelId: version.modelId,
      packageName: version.packageName,
      fromVerCode: device.verCode,
      verCode: version.verCode,
      attempt: Math.min((last?.attempt ?? 0) + 1, 32_767),
      pushed: true,
    })
    .onConflictDoNothing()
    .returning({ taskId: otaTasks.taskId })
  return task
}

async function deviceOf({ db, user }: Ctx, version: StoredVersion, sn: string) {
  const [found] = await db
    .select({
      id: devices.id,
      sn: devices.sn,
      tenantId: devices.tenantId,
      verCode: devices.verCode,
      status: devices.status,
      owner: TENANT_STANDING_COLUMNS,
    })
    .from(devices)
    .innerJoin(tenants, eq(tenants.id, devices.tenantId))
    .where(and(isTargetDevice(version), visibleDevices(user), eq(devices.sn, sn)))
  if (!found) throw invalid('没有这台设备，或它不是该版本的型号', 'sn')
  if (found.status !== 1) throw invalid('设备已停用，不能推送', 'sn')
  if (findStandingProblem(found.owner)) throw invalid('设备所属客户已停用或已过期，设备不会收到升级', 'sn')
  if (!version.packageName) return found
  const installed = and(eq(devicePackages.deviceId, found.id), eq(devicePackages.packageName, version.packageName))
  const [pack] = await db.select({ verCode: devicePackages.verCode }).from(devicePackages).where(installed)
  return { ...found, verCode: pack?.verCode ?? null }
}

/** Describes the open task of the device for this package. A device has at most one open task for each package. */
async function openInWords({ db }: Ctx, deviceId: number, packageName: string) {
  const [open] = await db
    .select({ state: otaTasks.state, verCode: otaTasks.verCode })
    .from(otaTasks)
    .where(and(eq(otaTasks.deviceId, deviceId), eq(otaTasks.packageName, packageName), isNull(otaTasks.closeTime)))
  const state = TASK_STATE[open?.state as keyof typeof TASK_STATE] ?? '进行中'
  return `设备正在升级到版本 ${open?.verCode ?? ''}（${state}），请等待完成或先取消`
}
