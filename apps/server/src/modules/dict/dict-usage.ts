import { and, eq, isNull, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#schema/account.ts'
import { otaComponents } from '#schema/ota.ts'
import { notices } from '#schema/system.ts'
import { tenants } from '#schema/tenant.ts'
import type { User } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'

/**
 * A column that stores values of a dictionary. Columns of logs are listed but not counted, because logs grow without
 * limit.
 */
interface Place {
  readonly place: string
  readonly table?: PgTable
  readonly column?: PgColumn
  readonly deletedAt?: PgColumn
  /** Tenant column of the table; absent for rows of the platform. */
  readonly tenant?: PgColumn
}

type Table = PgTable & { deletedAt?: PgColumn; tenantId?: PgColumn }

const place = (name: string, table: Table, column: PgColumn): Place => ({
  place: name,
  table,
  column,
  ...(table.deletedAt && { deletedAt: table.deletedAt }),
  ...(table.tenantId && { tenant: table.tenantId }),
  ...((table as PgTable) === tenants && { tenant: tenants.id }),
})

const PLACES: Readonly<Record<string, readonly Place[]>> = {
  sys_user_sex: [place('账号 · 性别', accounts, accounts.gender)],
  sys_notice_type: [place('通知公告 · 类型', notices, notices.type)],
  sys_notice_status: [place('通知公告 · 状态', notices, notices.status)],
  sys_oper_type: [{ place: '操作日志 · 操作类型' }],
  sys_common_status: [{ place: '操作日志 · 结果' }, { place: '登录日志 · 结果' }],
  company_size: [place('客户 · 企业规模', tenants, tenants.companySize)],
  tenant_level: [place('客户 · 级别', tenants, tenants.level)],
  ota_component_type: [place('设备固件 · 组件类型', otaComponents, otaComponents.type)],
}

/**
 * Returns the columns that store values of this dictionary, with the number of rows in the data scope for each
 * value.
 */
export async function countUsage(db: Db, user: User, dictType: string) {
  const usage = []
  for (const { place, table, column, deletedAt, tenant } of PLACES[dictType] ?? []) {
    const values =
      table && column
        ? await db
            .select({ value: sql<string>`${column}::text`, count: sql<number>`count(*)::int` })
            .from(table)
            .where(and(sql`${column} is not null`, deletedAt && isNull(deletedAt), tenant && scoped(user, { tenant })))
            .groupBy(column)
            .orderBy(column)
        : []
    usage.push({ place, values })
  }
  return usage
}

/** Returns the first column that contains this value and the number of rows; undefined when no row does. */
export async function findFirstUse(db: Db, dictType: string, value: string) {
  for (const { place, table, column, deletedAt } of PLACES[dictType] ?? []) {
    if (!table || !column) continue
    const count = await db.$count(table, and(eq(sql`${column}::text`, value), deletedAt && isNull(deletedAt)))
    if (count > 0) return { place, count }
  }
  return undefined
}
