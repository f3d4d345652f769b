import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { softwareTask } from '@oms/contract/upgrade/software-release.ts'
import { otaTask, TaskRow } from '@oms/contract/upgrade/upgrade-task.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { devices } from '#modules/device/schema.ts'
import { otaTaskLogs, otaTasks } from './schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { findDevice, visibleTasks } from '#modules/device/device-filter.ts'
import { notFound } from '#core/http/api-error.ts'
import { computePageOffset, paginate } from '#core/database/lists/list-query.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { requireVersion } from './releases/release-rows.ts'
import { countTasksByState, selectTasks, buildTaskSort, buildTaskFilter } from './task-rows.ts'

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
export const createTaskExport = (kind: string, endpoint: typeof otaTask.export | typeof softwareTask.export) =>
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
