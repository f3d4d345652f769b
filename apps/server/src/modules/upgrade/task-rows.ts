import type { taskFilters } from '@oms/contract/upgrade/upgrade-task.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '#core/database/client.ts'
import { deviceModels, devices } from '#modules/device/schema.ts'
import { otaVersions } from './schema-ota.ts'
import { tenants } from '#core/schema/tenant.ts'
import { otaTasks } from './schema.ts'
import type { User } from '#core/http/context.ts'
import { buildSort, within } from '#core/database/lists/list-query.ts'
import { visibleTasks } from '#modules/device/device-filter.ts'

type Filters = Partial<z.output<z.ZodObject<typeof taskFilters>>>

/** Returns the condition for the filters of a task list. Lists, counts, retries and exports use this condition. */
export function buildTaskFilter(
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
export const buildTaskSort = (asked: Parameters<typeof buildSort<keyof typeof SORTABLE>>[0]) =>
  buildSort(asked, SORTABLE, otaTasks.taskId)

/** Selects tasks with the columns of the task lists. */
export const selectTasks = (db: Db) =>
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
