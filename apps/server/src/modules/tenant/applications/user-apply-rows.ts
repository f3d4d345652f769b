import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { userApply } from '@oms/contract/tenant/user-apply.ts'
import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { roles } from '#core/schema/account.ts'
import { tenants, userApplications } from '#core/schema/tenant.ts'
import type { User } from '#core/http/context.ts'
import { maskMobile } from '#core/audit/mask.ts'
import { contains, buildSort, within } from '#core/database/lists/list-query.ts'
import { scoped } from '#core/tenancy/tenancy.ts'

export type ApplicationFilters = Omit<ParsedOf<typeof userApply.list>, 'pageNum' | 'pageSize'>

export const visibleApplications = (user: User) => scoped(user, { tenant: userApplications.tenantId })

const canSeeContacts = (user: User) => user.can('tenantManage:tenant:plain') || user.can('system:manager:plain')

export function buildApplicationFilter(user: User, filters: ApplicationFilters) {
  const { applyNo, account, realname, mobileNo, tenantId, status, beginTime, endTime } = filters
  return and(
    visibleApplications(user),
    applyNo ? eq(userApplications.applyNo, applyNo) : undefined,
    contains(userApplications.account, account),
    contains(userApplications.realname, realname),
    mobileNo && !canSeeContacts(user)
      ? eq(userApplications.mobileNo, mobileNo)
      : contains(userApplications.mobileNo, mobileNo),
    tenantId === undefined ? undefined : eq(userApplications.tenantId, tenantId),
    status === undefined ? undefined : eq(userApplications.status, status),
    ...within(userApplications.createTime, beginTime, endTime),
  )
}

/** Waiting applications are listed first unless a sort column is given. */
export const buildApplicationSort = (filters: ApplicationFilters) =>
  buildSort(
    filters,
    { createTime: userApplications.createTime, auditTime: userApplications.auditTime },
    userApplications.id,
    [asc(sql`(${userApplications.status} <> 0)`), desc(userApplications.createTime), desc(userApplications.id)],
  )

export const selectApplications = (db: Db) =>
  db
    .select({
      id: userApplications.id,
      applyNo: userApplications.applyNo,
      uid: userApplications.uid,
      account: userApplications.account,
      realname: userApplications.realname,
      mobileNo: userApplications.mobileNo,
      tenantId: userApplications.tenantId,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`,
      source: userApplications.source,
      reason: userApplications.reason,
      status: userApplications.status,
      roleIds: userApplications.roleIds,
      auditName: userApplications.auditName,
      auditTime: userApplications.auditTime,
      auditRemark: userApplications.auditRemark,
      createTime: userApplications.createTime,
    })
    .from(userApplications)
    .leftJoin(tenants, eq(tenants.id, userApplications.tenantId))
    .$dynamic()

interface Bare {
  mobileNo: string | null
  roleIds: number[]
}

/** Adds role names to applications and masks phone numbers unless permitted. */
export async function presentApplications<R extends Bare>(db: Db, user: User, rows: readonly R[]) {
  const ids = [...new Set(rows.flatMap(({ roleIds }) => roleIds))]
  const found = ids.length
    ? await db.select({ id: roles.id, name: roles.roleName }).from(roles).where(inArray(roles.id, ids))
    : []
  const names = new Map(found.map(({ id, name }) => [id, name]))
  const plain = canSeeContacts(user)
  return rows.map(({ roleIds, ...row }) => ({
    ...row,
    mobileNo: plain ? row.mobileNo : maskMobile(row.mobileNo),
    roleNames: roleIds.flatMap((id) => names.get(id) ?? []),
  }))
}
