import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { staff } from '@oms/contract/staff.ts'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { accounts } from '#db/schema/account.ts'
import { isLocked, lockedIs } from '#kernel/accounts/lock-filter.ts'
import { withRoles } from '#kernel/accounts/with-roles.ts'
import type { User } from '#kernel/context.ts'
import { among, contains, orderOf, within } from '#kernel/query.ts'
import { alive, scoped } from '#kernel/tenancy.ts'

export type Filters = Omit<ParsedOf<typeof staff.list>, 'pageNum' | 'pageSize'>

/** Staff of the tenant one works in, as far as one's scope reaches. */
export const staffOf = (user: User): SQL | undefined =>
  and(
    user.tenantId === null ? sql`false` : eq(accounts.tenantId, user.tenantId),
    scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }),
    alive(accounts),
  )

const seesPlain = (user: User) => user.can('system:manager:plain')

export function conditionsOf(user: User, filters: Filters) {
  const { account, realname, mobileNo, status, roleId, locked, beginTime, endTime } = filters
  return and(
    staffOf(user),
    contains(accounts.account, account),
    contains(accounts.realname, realname),
    mobileIs(user, mobileNo),
    status === undefined ? undefined : eq(accounts.status, status),
    roleId === undefined
      ? undefined
      : sql`${accounts.uid} in (select ar.uid from account_roles ar where ar.role_id = ${roleId})`,
    lockedIs(locked),
    ...within(accounts.createTime, beginTime, endTime),
  )
}

/** Who may not see numbers finds one only by knowing it: part by part it could be guessed. */
const mobileIs = (user: User, mobileNo: string | undefined) =>
  mobileNo && !seesPlain(user) ? eq(accounts.mobileNo, mobileNo) : contains(accounts.mobileNo, mobileNo)

export const staffOrder = (filters: Filters) =>
  orderOf(
    filters,
    {
      createTime: accounts.createTime,
      lastLoginTime: accounts.lastLoginTime,
      account: sql`lower(${accounts.account})`,
      realname: accounts.realname,
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
  locked: isLocked,
  pwdMustChange: accounts.pwdMustChange,
  mfaEnabled: accounts.mfaEnabled,
  lastLoginTime: accounts.lastLoginTime,
  lastLoginIp: accounts.lastLoginIp,
  expireTime: accounts.expireTime,
  createTime: accounts.createTime,
  remark: accounts.remark,
  rev: accounts.rev,
}
/** Rows as the screen shows them. */
export const dressed = <R extends Parameters<typeof withRoles>[1][number]>(db: Db, user: User, rows: readonly R[]) =>
  withRoles(db, rows, { plain: seesPlain(user) })

export async function staffByKeys(db: Db, user: User, uids: readonly number[]) {
  const rows = await db
    .select(staffColumns)
    .from(accounts)
    .where(and(staffOf(user), among(accounts.uid, uids)))
  return dressed(db, user, rows)
}
