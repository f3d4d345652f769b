import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { TASK } from '@oms/contract/ota-task.ts'
import { softwareTask } from '@oms/contract/software-release.ts'
import { otaTask, TaskRow } from '@oms/contract/upgrade-task.ts'
import { and, desc, eq, sql } from 'drizzle-orm'
import { devices } from '#db/schema/device.ts'
import { otaTaskLogs, otaTasks } from '#db/schema/upgrade.ts'
import type { Ctx } from '#kernel/context.ts'
import { visibleDevices } from '#kernel/fleet/device-filter.ts'
import { notFound } from '#kernel/problem.ts'
import { among, offsetOf, paginate } from '#kernel/query.ts'
import { defineExport } from '#kernel/table/export.ts'
import { versionOf } from './release-rows.ts'
import { countsOf, shownTasks, taskOrder, tasksMatching, visibleTasks } from './task-rows.ts'

const MAX_LOGS = 1000

export async function list({ db, user }: Ctx, input: ParsedOf<typeof otaTask.list>) {
  await versionOf(db, user, input.otaId)
  return paginate(db, shownTasks(db).where(tasksMatching(user, input)).$dynamic(), input, taskOrder(input))
}

export async function counts({ db, user }: Ctx, input: ParsedOf<typeof otaTask.counts>) {
  await versionOf(db, user, input.otaId)
  return countsOf(db, user, input)
}

/** Failed tasks under the words their devices gave, most frequent first. */
export async function failures({ db, user }: Ctx, { otaId, ...page }: ParsedOf<typeof otaTask.failures>) {
  await versionOf(db, user, otaId)
  const offset = offsetOf(page)
  const failed = and(visibleTasks(user), eq(otaTasks.otaId, otaId), eq(otaTasks.state, TASK.failed))
  const { rows } = await db.execute<{
    reason: string
    code: number | null
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

export async function get({ db, user }: Ctx, { taskId }: ParsedOf<typeof otaTask.get>) {
  const [task] = await shownTasks(db).where(and(eq(otaTasks.taskId, taskId), visibleTasks(user)))
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

/** Everything one device was offered; its own tenant sees it too, also of the vendor's versions. */
export async function ofDevice({ db, user }: Ctx, { deviceId, ...page }: ParsedOf<typeof otaTask.ofDevice>) {
  const [device] = await db
    .select({ id: devices.id })
    .from(devices)
    .where(and(eq(devices.id, deviceId), visibleDevices(user)))
  if (!device) throw notFound('设备')
  const query = shownTasks(db)
    .where(and(eq(otaTasks.deviceId, deviceId), visibleTasks(user)))
    .$dynamic()
  return paginate(db, query, page, [desc(otaTasks.taskId)])
}

const time = { type: 'dateTime', width: 20 } as const
const number = { type: 'number', width: 12 } as const

/** The filtered list as a file, in the list's order. */
export const exportTasks = (kind: string, endpoint: typeof otaTask.export | typeof softwareTask.export) =>
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
      ['code', number],
      ['attempt', number],
      ['retried', { width: 12 }],
      ['pushed', { width: 10 }],
      ['createTime', time],
      ['updateTime', time],
      ['closeTime', time],
    ],
    keys: (db, user, input) =>
      db.select({ id: otaTasks.taskId }).from(otaTasks).where(tasksMatching(user, input)).$dynamic(),
    order: taskOrder,
    load: (db, user, keys) => shownTasks(db).where(and(visibleTasks(user), among(otaTasks.taskId, keys))),
    keyOf: ({ taskId }) => taskId,
  })
export const exportFirmwareTasks = exportTasks('ota-task', otaTask.export)
export const exportSoftwareTasks = exportTasks('software-task', softwareTask.export)
