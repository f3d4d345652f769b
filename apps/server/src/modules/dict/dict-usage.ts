import { and, eq, isNull, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#schema/account.ts'
import { otaComponents } from '#schema/ota.ts'
import { notices } from '#schema/system.ts'
import { tenants } from '#schema/tenant.ts'

/**
 * A column that stores values of a dictionary, and its name in error messages. Columns of logs are not checked, because
 * logs grow without limit.
 */
interface Place {
  readonly place: string
  readonly table: PgTable
  readonly column: PgColumn
  readonly deletedAt?: PgColumn
}

const place = (name: string, table: PgTable & { deletedAt?: PgColumn }, column: PgColumn): Place => ({
  place: name,
  table,
  column,
  ...(table.deletedAt && { deletedAt: table.deletedAt }),
})

const PLACES: Readonly<Record<string, readonly Place[]>> = {
  sys_user_sex: [place('账号 · 性别', accounts, accounts.gender)],
  sys_notice_type: [place('通知公告 · 类型', notices, notices.type)],
  sys_notice_status: [place('通知公告 · 状态', notices, notices.status)],
  company_size: [place('客户 · 企业规模', tenants, tenants.companySize)],
  tenant_level: [place('客户 · 级别', tenants, tenants.level)],
  ota_component_type: [place('设备固件 · 组件类型', otaComponents, otaComponents.type)],
}

/** Returns the first column that contains this value and the number of rows; undefined when no row does. */
export async function findFirstUse(db: Db, dictType: string, value: string) {
  for (const { place, table, column, deletedAt } of PLACES[dictType] ?? []) {
    const count = await db.$count(table, and(eq(sql`${column}::text`, value), deletedAt && isNull(deletedAt)))
    if (count > 0) return { place, count }
  }
  return undefined
}
