import type { accounts as contract } from '@oms/contract/account-list.ts'
import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { and, asc, eq, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { accounts } from '#db/schema/account.ts'
import { tenants } from '#db/schema/tenant.ts'
import { isLocked, lockedIs } from '#kernel/accounts/lock-filter.ts'
import { withRoles } from '#kernel/accounts/with-roles.ts'
import type { Ctx, User } from '#kernel/context.ts'
import { among, contains, orderOf } from '#kernel/query.ts'
import { alive, scoped } from '#kernel/tenancy.ts'

export type Filters = Omit<ParsedOf<typeof contract.list>, 'pageNum' | 'pageSize'>

/** Accounts of every tenant one may see. Those that belong to none show to who sees all. */
export const reachedBy = (user: User): SQL | undefined =>
  and(scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }), alive(accounts))

const seesPlain = (user: User) => user.can('system:userList:plain')

export function conditionsOf(user: User, { account, realname, mobileNo, tenantId, status, locked }: Filters) {
  // Who may not see numbers finds one only by knowing it: part by part it could be guessed.
  const mobile = mobileNo && !seesPlain(user) ? eq(accounts.mobileNo, mobileNo) : contains(accounts.mobileNo, mobileNo)
  return and(
    reachedBy(user),
    contains(accounts.account, account),
    contains(accounts.realname, realname),
    mobile,
    tenantId === undefined ? undefined : eq(accounts.tenantId, tenantId),
    status === undefined ? undefined : eq(accounts.status, status),
    lockedIs(locked),
  )
}

export const accountOrder = (filters: Filters) =>
  orderOf(
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
  locked: isLocked,
  mfaEnabled: accounts.mfaEnabled,
  lastLoginTime: accounts.lastLoginTime,
  lastLoginIp: accounts.lastLoginIp,
  loginCount: accounts.loginCount,
  createTime: accounts.createTime,
}

export const selectAccounts = (db: Db) =>
  db.select(listed).from(accounts).leftJoin(tenants, eq(tenants.id, accounts.tenantId)).$dynamic()

/** Rows as the screen shows them. */
export const dressed = <R extends Parameters<typeof withRoles>[1][number]>(db: Db, user: User, rows: readonly R[]) =>
  withRoles(db, rows, { plain: seesPlain(user) })

export async function accountsByKeys(db: Db, user: User, uids: readonly number[]) {
  const rows = await selectAccounts(db).where(and(reachedBy(user), among(accounts.uid, uids)))
  return dressed(db, user, rows)
}

const OFFERED_TENANTS = 50

/** Customers to filter by, as far as one's scope reaches. */
export async function tenantsNamed({ db, user }: Pick<Ctx, 'db' | 'user'>, keyword: string | undefined) {
  return db
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(
      and(
        scoped(user, { tenant: tenants.id }),
        alive(tenants),
        or(contains(tenants.name, keyword), contains(tenants.tenantNo, keyword)),
      ),
    )
    .orderBy(asc(tenants.id))
    .limit(OFFERED_TENANTS)
}
