import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { LOGIN_LOG_DAYS, LoginLogRow, logs } from '@oms/contract/log/log.ts'
import { and, asc, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#schema/account.ts'
import { loginLogs } from '#schema/system.ts'
import { tenants } from '#schema/tenant.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { lockedAccount, unlockAccount as liftLocks } from '#core/auth/lockout.ts'
import { locateIp } from '#core/http/ip-location.ts'
import { notFound } from '#core/http/api-error.ts'
import { among, contains, paginate } from '#core/database/lists/list-query.ts'
import { defineExport } from '#core/spreadsheet/export/export.ts'
import { notDeleted, isTenantInScope, scoped } from '#core/tenancy/tenancy.ts'
import { buildLogRange } from './log-range.ts'

type Filters = Omit<ParsedOf<typeof logs.logins>, 'pageNum' | 'pageSize'>

const reached = (user: User) => scoped(user, { tenant: loginLogs.tenantId, creator: loginLogs.uid })

function conditionsOf(user: User, filters: Filters) {
  const { account, ip, loginType, status, tenantId } = filters
  return and(
    reached(user),
    ...buildLogRange(loginLogs.loginTime, filters, LOGIN_LOG_DAYS),
    contains(loginLogs.account, account),
    contains(loginLogs.ip, ip),
    loginType === undefined ? undefined : eq(loginLogs.loginType, loginType),
    status === undefined ? undefined : eq(loginLogs.status, status),
    tenantId === undefined ? undefined : eq(loginLogs.tenantId, tenantId),
  )
}

/** The primary key serves both directions. */
const orderOf = ({ isAsc }: Filters) =>
  isAsc === 'asc'
    ? [asc(loginLogs.loginTime), asc(loginLogs.infoId)]
    : [desc(loginLogs.loginTime), desc(loginLogs.infoId)]

const listed = {
  infoId: loginLogs.infoId,
  loginTime: loginLogs.loginTime,
  account: loginLogs.account,
  tenantName: sql<string>`coalesce(${tenants.name}, '')`,
  loginType: loginLogs.loginType,
  ip: loginLogs.ip,
  browser: loginLogs.browser,
  os: loginLogs.os,
  status: loginLogs.status,
  msg: loginLogs.msg,
}

const select = (db: Db) =>
  db
    .select({ ...listed, locked: lockedAccount(loginLogs.account) })
    .from(loginLogs)
    .leftJoin(tenants, eq(tenants.id, loginLogs.tenantId))
    .$dynamic()
const withLocation = <R extends { ip: string }>(row: R) => ({ ...row, location: locateIp(row.ip) })

export async function listLogins({ db, user }: Ctx, input: ParsedOf<typeof logs.logins>) {
  const page = await paginate(db, select(db).where(conditionsOf(user, input)), input, orderOf(input))
  return { ...page, list: page.list.map(withLocation) }
}

const COLUMNS = [
  ['loginTime', { type: 'dateTime', width: 20 }],
  'account',
  'tenantName',
  'loginType',
  'ip',
  'location',
  'browser',
  'os',
  'status',
  ['msg', { width: 40 }],
] as const

export const exportLogins = defineExport({
  kind: 'loginLog',
  endpoint: logs.exportLogins,
  sheet: '登录日志',
  schema: LoginLogRow,
  columns: COLUMNS,
  keys: (db, user, input) =>
    db.select({ infoId: loginLogs.infoId }).from(loginLogs).where(conditionsOf(user, input)).$dynamic(),
  order: orderOf,
  load: (db, user, keys) => select(db).where(and(reached(user), among(loginLogs.infoId, keys))),
  keyOf: ({ infoId }) => infoId,
  line: withLocation,
})

/**
 * Ends the lock-outs of a visible account. Accounts with unlimited scope may also unlock a name without an account.
 */
export async function unlockAccount(ctx: Ctx, { account }: ParsedOf<typeof logs.unlock>) {
  const { db, user } = ctx
  const [found] = await db
    .select({ uid: accounts.uid, tenantId: accounts.tenantId })
    .from(accounts)
    .where(and(eq(sql`lower(${accounts.account})`, account.toLowerCase()), notDeleted(accounts)))
  if (found ? !isTenantInScope(user, found.tenantId) : user.scope.tenants !== 'all') throw notFound('账号')
  await liftLocks(db, account)
  ctx.audit({ bizType: 'account', bizId: found?.uid ?? '', action: `解锁账号「${account}」` })
  return null
}
