import type { accounts as contract } from '@oms/contract/account/account-list.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#core/schema/account.ts'
import { tenants } from '#core/schema/tenant.ts'
import { isAccountRowLocked, buildLockedFilter } from '../lock-filter.ts'
import { addRoles } from '../with-roles.ts'
import type { User } from '#core/http/context.ts'
import { contains, buildSort, within } from '#core/database/lists/list-query.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'

export type AccountFilters = Omit<ParsedOf<typeof contract.list>, 'pageNum' | 'pageSize'>

/**
 * Returns the condition for accounts of visible tenants. Accounts without a tenant are visible only with unlimited
 * scope.
 */
export const isAccountInScope = (user: User): SQL | undefined =>
  and(scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }), notDeleted(accounts))

const canSeeContacts = (user: User) => user.can('system:userList:plain')

export function buildConditions(user: User, filters: AccountFilters) {
  const { account, realname, mobileNo, tenantId, status, locked, loginBegin, loginEnd } = filters
  // Without the permission for contact details, search requires the full number; otherwise numbers could be guessed
  // in parts.
  const mobile =
    mobileNo && !canSeeContacts(user) ? eq(accounts.mobileNo, mobileNo) : contains(accounts.mobileNo, mobileNo)
  return and(
    isAccountInScope(user),
    contains(accounts.account, account),
    contains(accounts.realname, realname),
    mobile,
    tenantId === undefined ? undefined : eq(accounts.tenantId, tenantId),
    status === undefined ? undefined : eq(accounts.status, status),
    buildLockedFilter(locked),
    ...within(accounts.lastLoginTime, loginBegin, loginEnd),
  )
}

export const buildAccountSort = (filters: AccountFilters) =>
  buildSort(
    filters,
    {
      createTime: accounts.createTime,
      lastLoginTime: accounts.lastLoginTime,
      account: sql`lower(${accounts.account})`,
    },
    accounts.uid,
  )

const listed = {
  uid: accounts.uid,
  account: accounts.account,
  realname: accounts.realname,
  nickname: accounts.nickname,
  mobileNo: accounts.mobileNo,
  email: accounts.email,
  tenantId: accounts.tenantId,
  tenantName: sql<string>`coalesce(${tenants.name}, '')`,
  status: accounts.status,
  locked: isAccountRowLocked,
  mfaEnabled: accounts.mfaEnabled,
  lastLoginTime: accounts.lastLoginTime,
  lastLoginIp: accounts.lastLoginIp,
  loginCount: accounts.loginCount,
  createTime: accounts.createTime,
}

export const selectAccounts = (db: Db) =>
  db.select(listed).from(accounts).leftJoin(tenants, eq(tenants.id, accounts.tenantId)).$dynamic()

/** Adds roles to account rows and masks contact details unless permitted. */
export const presentAccounts = <R extends Parameters<typeof addRoles>[1][number]>(
  db: Db,
  user: User,
  rows: readonly R[],
) => addRoles(db, rows, { plain: canSeeContacts(user) })
