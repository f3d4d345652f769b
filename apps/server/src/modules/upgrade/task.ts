import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { softwareTask } from '@oms/contract/upgrade/software-release.ts'
import { TASK_STATE_CODE, TASK_STATE } from '@oms/contract/upgrade/task-state.ts'
import { type taskFilters, otaTask, TaskRow } from '@oms/contract/upgrade/upgrade-task.ts'
import { and, eq, type SQL, sql, desc, inArray, isNull } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { among, buildSort, within, computePageOffset, paginate } from '#core/database/lists/list-query.ts'
import { notFound, invalid, refused } from '#core/http/api-error.ts'
import type { User, Ctx } from '#core/http/context.ts'
import { tenants } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { findStandingProblem, TENANT_STANDING_COLUMNS } from '#core/tenancy/tenant-state.ts'
import { findDevice, scopedByDevice, visibleDevices } from '#modules/device/device-filter.ts'
import { blocksDeviceDeletion } from '#modules/device/device-references.ts'
import { deviceModels, devices, devicePackages } from '#modules/device/schema.ts'
import {
  requireVersion,
  cancelTasks,
  isTargetDevice,
  formatVersionName,
  publishReleaseChanged,
  type StoredVersion,
  toAuditTarget,
} from './release.ts'
import { otaVersions, otaTasks, otaTaskLogs } from './schema.ts'

type Filters = Partial<z.output<z.ZodObject<typeof taskFilters>>>

/** Returns the condition for the upgrade tasks of visible devices. */
export const visibleTasks = (user: User) =>
  scopedByDevice(user, { tenant: otaTasks.tenantId, device: otaTasks.deviceId })

/** Returns the condition for the filters of a task list. Lists, counts, retries and exports use this condition. */
function buildTaskFilter(
  user: User,
  { otaId, state, sn, tenantId, reason, pushed, ...range }: Filters,
): SQL | undefined {
  return and(
    visibleTasks(user),
    otaId === undefined ? undefined : eq(otaTasks.otaId, otaId),
    state === undefined ? undefined : eq(otaTasks.state, state),
    sn ? sql`${otaTasks.deviceId} in (select d.id from devices d where d.sn ilike ${likely(sn)})` : undefined,
    tenantId === undefined ? undefined : eq(otaTasks.tenantId, tenantId),
    reason === undefined ? undefined : eq(otaTasks.reason, reason),
    pushed === undefined ? undefined : eq(otaTasks.pushed, pushed === 1),
    ...within(otaTasks.createTime, range.beginTime, range.endTime),
  )
}
const likely = (text: string) => `%${text.replaceAll(/[%_\\]/g, '\\$&')}%`

const SORTABLE = { taskId: otaTasks.taskId, updateTime: otaTasks.updateTime } as const

/** Returns the sort order: newest first unless a column is given. */
const buildTaskSort = (asked: Parameters<typeof buildSort<keyof typeof SORTABLE>>[0]) =>
  buildSort(asked, SORTABLE, otaTasks.taskId)

/** Selects tasks with the columns of the task lists. */
const selectTasks = (db: Db) =>
  db
    .select({
      taskId: otaTasks.taskId,
      otaId: otaTasks.otaId,
      deviceId: otaTasks.deviceId,
      sn: sql<string>`coalesce(${devices.sn}, '')`.as('task_sn'),
      devName: sql<string>`coalesce(${devices.devName}, '')`.as('task_dev_name'),
      tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('task_tenant_name'),
      modelName: sql<string>`coalesce(${deviceModels.modelName}, '')`.as('task_model_name'),
      packageName: otaTasks.packageName,
      verName: sql<string>`coalesce(${otaVersions.verName}, '')`.as('task_ver_name'),
      fromVerCode: otaTasks.fromVerCode,
      verCode: otaTasks.verCode,
      state: otaTasks.state,
      progress: otaTasks.progress,
      reason: otaTasks.reason,
      code: otaTasks.code,
      attempt: otaTasks.attempt,
      retried: otaTasks.retried,
      pushed: otaTasks.pushed,
      createTime: otaTasks.createTime,
      updateTime: otaTasks.updateTime,
      closeTime: otaTasks.closeTime,
    })
    .from(otaTasks)
    .leftJoin(devices, eq(devices.id, otaTasks.deviceId))
    .leftJoin(tenants, eq(tenants.id, otaTasks.tenantId))
    .leftJoin(deviceModels, eq(deviceModels.id, otaTasks.modelId))
    .leftJoin(otaVersions, eq(otaVersions.otaId, otaTasks.otaId))

/** Counts tasks by state from the task rows, so that a crash cannot leave wrong counts. */
export const countTasksByState = (db: Db, user: User, filters: Filters) =>
  db
    .select({ state: otaTasks.state, count: sql<number>`count(*)::int` })
    .from(otaTasks)
    .where(buildTaskFilter(user, filters))
    .groupBy(otaTasks.state)
    .orderBy(otaTasks.state)

const MAX_LOGS = 1000

export async function listTasks({ db, user }: Ctx, input: ParsedOf<typeof otaTask.list>) {
  await requireVersion(db, user, input.otaId)
  return paginate(db, selectTasks(db).where(buildTaskFilter(user, input)).$dynamic(), input, buildTaskSort(input))
}

export async function countTasks({ db, user }: Ctx, input: ParsedOf<typeof otaTask.counts>) {
  await requireVersion(db, user, input.otaId)
  return countTasksByState(db, user, input)
}

/** Lists failed tasks by failure text, most frequent first. */
export async function listFailures({ db, user }: Ctx, { otaId, ...page }: ParsedOf<typeof otaTask.failures>) {
  await requireVersion(db, user, otaId)
  const offset = computePageOffset(page)
  const failed = and(visibleTasks(user), eq(otaTasks.otaId, otaId), eq(otaTasks.state, TASK_STATE_CODE.failed))
  const { rows } = await db.execute<{
    reason: string
    code: string | null
    count: number
    open: number
    lastTime: string
    sn: string
    total: number
  }>(sql`
    with grouped as (
      select ${otaTasks.reason} as reason, ${otaTasks.code} as code, count(*)::int as count,
        count(*) filter (where not ${otaTasks.retried})::int as open, max(${otaTasks.updateTime}) as last_time,
        max(${otaTasks.deviceId}) as device_id
      from ${otaTasks} where ${failed} group by 1, 2
    )
    select g.reason, g.code, g.count, g.open, to_char(g.last_time, 'YYYY-MM-DD HH24:MI:SS') as "lastTime",
      coalesce(d.sn, '') as sn, count(*) over ()::int as total
    from grouped g left join devices d on d.id = g.device_id
    order by g.count desc, g.reason, g.code limit ${page.pageSize} offset ${offset}`)
  return { list: rows.map(({ total: _total, ...row }) => row), total: rows[0]?.total ?? 0 }
}

export async function getTask({ db, user }: Ctx, { taskId }: ParsedOf<typeof otaTask.get>) {
  const [task] = await selectTasks(db).where(and(eq(otaTasks.taskId, taskId), visibleTasks(user)))
  if (!task) throw notFound('升级任务')
  const logs = await db
    .select({
      id: otaTaskLogs.id,
      state: otaTaskLogs.state,
      execution: otaTaskLogs.execution,
      finished: otaTaskLogs.finished,
      code: otaTaskLogs.code,
      details: otaTaskLogs.details,
      createTime: otaTaskLogs.createTime,
    })
    .from(otaTaskLogs)
    .where(eq(otaTaskLogs.taskId, taskId))
    .orderBy(desc(otaTaskLogs.id))
    .limit(MAX_LOGS)
  return { task, logs }
}

/** Lists all tasks of one device. The device's tenant also sees tasks of the vendor's versions. */
export async function listTasksOfDevice(ctx: Ctx, { deviceId, ...page }: ParsedOf<typeof otaTask.ofDevice>) {
  const { db, user } = ctx
  if (!(await findDevice(ctx, eq(devices.id, deviceId)))) throw notFound('设备')
  const query = selectTasks(db)
    .where(and(eq(otaTasks.deviceId, deviceId), visibleTasks(user)))
    .$dynamic()
  return paginate(db, query, page, [desc(otaTasks.taskId)])
}

const time = { type: 'dateTime', width: 20 } as const
const number = { type: 'number', width: 12 } as const

/** Exports the filtered list in the order of the list. */
const createTaskExport = (kind: string, endpoint: typeof otaTask.export | typeof softwareTask.export) =>
  defineExport({
    kind,
    endpoint,
    sheet: '升级任务',
    schema: TaskRow,
    columns: [
      ['taskId', number],
      ['sn', { width: 26 }],
      'devName',
      'modelName',
      'tenantName',
      ['verName', { width: 20 }],
      ['fromVerCode', number],
      ['verCode', number],
      ['state', { width: 10 }],
      ['progress', number],
      ['reason', { width: 40 }],
      'code',
      ['attempt', number],
      ['retried', { width: 12 }],
      ['pushed', { width: 10 }],
      ['createTime', time],
      ['updateTime', time],
      ['closeTime', time],
    ],
    key: otaTasks.taskId,
    where: buildTaskFilter,
    order: buildTaskSort,
    load: (db, _user, where) => selectTasks(db).where(where),
    keyOf: ({ taskId }) => taskId,
  })
export const exportFirmwareTasks = createTaskExport('ota-task', otaTask.export)
export const exportSoftwareTasks = createTaskExport('software-task', softwareTask.export)

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

const countOpenTasks = (db: Db, deviceIds: readonly number[]) =>
  db
    .select({ deviceId: otaTasks.deviceId, n: sql<number>`count(*)::int` })
    .from(otaTasks)
    .where(and(among(otaTasks.deviceId, deviceIds), isNull(otaTasks.closeTime)))
    .groupBy(otaTasks.deviceId)

blocksDeviceDeletion('进行中的升级任务', countOpenTasks)

/** Returns the devices that have an open upgrade task. */
export async function listDevicesInUpgrade(db: Db, deviceIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await countOpenTasks(db, deviceIds)
  return new Set(rows.map(({ deviceId }) => deviceId))
}
