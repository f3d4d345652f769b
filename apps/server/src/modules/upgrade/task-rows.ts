import type { taskFilters } from '@oms/contract/upgrade-task.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '#db/client.ts'
import { deviceModels, devices } from '#db/schema/device.ts'
import { otaVersions } from '#db/schema/ota.ts'
import { tenants } from '#db/schema/tenant.ts'
import { otaTasks } from '#db/schema/upgrade.ts'
import type { User } from '#kernel/context.ts'
import { orderOf, within } from '#kernel/query.ts'
import { scoped } from '#kernel/tenancy.ts'

type Filters = Partial<z.output<z.ZodObject<typeof taskFilters>>>

/** The tasks an account may see: those of devices of its tenants. */
export const visibleTasks = (user: User) => scoped(user, { tenant: otaTasks.tenantId })

/** What a task list shows, as one condition: lists, counters, retries and exports share it. */
export function tasksMatching(
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

/** Newest first unless a column is asked for. */
export const taskOrder = (asked: Parameters<typeof orderOf<keyof typeof SORTABLE>>[0]) =>
  orderOf(asked, SORTABLE, otaTasks.taskId)

/** Tasks as lists show them. */
export const shownTasks = (db: Db) =>
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

/** Tasks by state, counted from the tasks themselves: no counter that a crash could leave wrong. */
export const countsOf = (db: Db, user: User, filters: Filters) =>
  db
    .select({ state: otaTasks.state, count: sql<number>`count(*)::int` })
    .from(otaTasks)
    .where(tasksMatching(user, filters))
    .groupBy(otaTasks.state)
    .orderBy(otaTasks.state)
