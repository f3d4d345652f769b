import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { staff } from '@oms/contract/account/staff.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#core/schema/account.ts'
import { isAccountRowLocked, buildLockedFilter } from '../lock-filter.ts'
import { buildRolelessFilter } from '../roleless.ts'
import { addRoles } from '../with-roles.ts'
import type { User } from '#core/http/context.ts'
import { contains, buildSort, within, byName } from '#core/database/lists/list-query.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'

export type StaffFilters = Omit<ParsedOf<typeof staff.list>, 'pageNum' | 'pageSize'>

/** Returns the condition for staff of the session's tenant within the data scope. */
export const visibleStaff = (user: User): SQL | undefined =>
  and(
    user.tenantId === null ? sql`false` : eq(accounts.tenantId, user.tenantId),
    scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }),
    notDeleted(accounts),
  )

const canSeeContacts = (user: User) => user.can('system:manager:plain')

export function buildStaffFilter(user: User, filters: StaffFilters) {
  const { account, realname, mobileNo, status, roleId, roleless, locked, beginTime, endTime } = filters
  return and(
    visibleStaff(user),
    contains(accounts.account, account),
    contains(accounts.realname, realname),
    mobileIs(user, mobileNo),
    status === undefined ? undefined : eq(accounts.status, status),
    roleId === undefined
      ? undefined
      : sql`${accounts.uid} in (select ar.uid from account_roles ar where ar.role_id = ${roleId})`,
    buildRolelessFilter(roleless),
    buildLockedFilter(locked),
    ...within(accounts.createTime, beginTime, endTime),
  )
}

/**
 * Returns the condition for a search by mobile number. Accounts without the permission for contact details must enter
 * the full number. Otherwise they could guess numbers in parts.
 */
const mobileIs = (user: User, mobileNo: string | undefined) =>
  mobileNo && !canSeeContacts(user) ? eq(accounts.mobileNo, mobileNo) : contains(accounts.mobileNo, mobileNo)

export const buildStaffSort = (filters: StaffFilters) =>
  buildSort(
    filters,
    {
      createTime: accounts.createTime,
      lastLoginTime: accounts.lastLoginTime,
      account: sql`lower(${accounts.account})`,
      realname: byName(accounts.realname),
    },
    accounts.uid,
  )

export const staffColumns = {
  uid: accounts.uid,
  account: accounts.account,
  realname: accounts.realname,
  nickname: accounts.nickname,
  gender: accounts.gender,
  mobileNo: accounts.mobileNo,
  email: accounts.email,
  status: accounts.status,
  locked: isAccountRowLocked,
  pwdMustChange: accounts.pwdMustChange,
  mfaEnabled: accounts.mfaEnabled,
  lastLoginTime: accounts.lastLoginTime,
  lastLoginIp: accounts.lastLoginIp,
  expireTime: accounts.expireTime,
  createTime: accounts.createTime,
  remark: accounts.remark,
  rev: accounts.rev,
}
/** Adds roles to account rows and masks contact details unless permitted. */
export const presentStaff = <R extends Parameters<typeof addRoles>[1][number]>(
  db: Db,
  user: User,
  rows: readonly R[],
) => addRoles(db, rows, { plain: canSeeContacts(user) })
