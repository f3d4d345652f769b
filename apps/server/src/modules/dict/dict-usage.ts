import { and, eq, isNull, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Db } from '#db/client.ts'
import { accounts, roles } from '#db/schema/account.ts'
import { otaComponents } from '#db/schema/ota.ts'
import { menus, notices } from '#db/schema/system.ts'
import { scenes, tenants } from '#db/schema/tenant.ts'

/** A column that stores values of a dictionary. Logs are named, but not counted: they grow without end. */
interface Place {
  readonly place: string
  readonly table?: PgTable
  readonly column?: PgColumn
  readonly deletedAt?: PgColumn
}

const place = (name: string, table: PgTable & { deletedAt?: PgColumn }, column: PgColumn): Place => ({
  place: name,
  table,
  column,
  ...(table.deletedAt && { deletedAt: table.deletedAt }),
})

const PLACES: Readonly<Record<string, readonly Place[]>> = {
  sys_normal_disable: [
    place('账号 · 状态', accounts, accounts.status),
    place('角色 · 状态', roles, roles.status),
    place('客户 · 状态', tenants, tenants.status),
    place('业务场景 · 状态', scenes, scenes.status),
    place('菜单 · 状态', menus, menus.status),
  ],
  sys_show_hide: [place('菜单 · 显示状态', menus, menus.visible)],
  sys_user_sex: [place('账号 · 性别', accounts, accounts.gender)],
  sys_notice_type: [place('通知公告 · 类型', notices, notices.type)],
  sys_notice_status: [place('通知公告 · 状态', notices, notices.status)],
  sys_oper_type: [{ place: '操作日志 · 操作类型' }],
  sys_common_status: [{ place: '操作日志 · 结果' }, { place: '登录日志 · 结果' }],
  company_size: [place('客户 · 企业规模', tenants, tenants.companySize)],
  tenant_level: [place('客户 · 级别', tenants, tenants.level)],
  ota_component_type: [place('设备固件 · 组件类型', otaComponents, otaComponents.type)],
}

/** Where values of this dictionary are stored, with the number of rows that hold each. */
export async function usageOf(db: Db, dictType: string) {
  const usage = []
  for (const { place, table, column, deletedAt } of PLACES[dictType] ?? []) {
    const values =
      table && column
        ? await db
            .select({ value: sql<string>`${column}::text`, count: sql<number>`count(*)::int` })
            .from(table)
            .where(and(sql`${column} is not null`, deletedAt && isNull(deletedAt)))
            .groupBy(column)
        : []
    usage.push({ place, values })
  }
  return usage
}

/** The first place where rows hold this value, and how many; undefined when none does. */
export async function usedBy(db: Db, dictType: string, value: string) {
  for (const { place, table, column, deletedAt } of PLACES[dictType] ?? []) {
    if (!table || !column) continue
    const count = await db.$count(table, and(eq(sql`${column}::text`, value), deletedAt && isNull(deletedAt)))
    if (count > 0) return { place, count }
  }
  return undefined
}
