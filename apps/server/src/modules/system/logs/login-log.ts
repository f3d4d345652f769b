import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { LOGIN_LOG_DAYS, LoginLogRow, logs } from '@oms/contract/system/log.ts'
import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts } from '#core/schema/account.ts'
import { loginLogs } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { addChangeRefusals, assertMayChangeAccounts } from '#modules/account/account-guard.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { isAccountLocked, unlockAccount as liftLocks } from '#core/auth/lockout.ts'
import { locateIp } from '#core/http/request-log.ts'
import { notFound } from '#core/http/api-error.ts'
import { contains, paginate } from '#core/database/lists/list-query.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { notDeleted, isTenantInScope, scoped } from '#core/tenancy/tenancy.ts'
import { buildLogRange } from './log-range.ts'

type Filters = Omit<ParsedOf<typeof logs.logins>, 'pageNum' | 'pageSize'>

const buildVisibleRowsCondition = (user: User) => scoped(user, { tenant: loginLogs.tenantId, creator: loginLogs.uid })

function conditionsOf(user: User, filters: Filters) {
  const { account, ip, loginType, status, tenantId } = filters
  return and(
    buildVisibleRowsCondition(user),
    ...buildLogRange(loginLogs.loginTime, filters, LOGIN_LOG_DAYS),
    contains(loginLogs.account, account),
    contains(loginLogs.ip, ip),
    loginType === undefined ? undefined : eq(loginLogs.loginType, loginType),
    status === undefined ? undefined : eq(loginLogs.status, status),
    tenantId === undefined ? undefined : eq(loginLogs.tenantId, tenantId),
  )
}

/** The index of the primary key serves both sort directions. */
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
    .select({ ...listed, locked: isAccountLocked(loginLogs.account) })
    .from(loginLogs)
    .leftJoin(tenants, eq(tenants.id, loginLogs.tenantId))
    .$dynamic()
const withLocation = <R extends { ip: string }>(row: R) => ({ ...row, location: locateIp(row.ip) })

export async function listLogins(ctx: Ctx, input: ParsedOf<typeof logs.logins>) {
  const { db, user } = ctx
  const page = await paginate(db, select(db).where(conditionsOf(user, input)), input, orderOf(input))
  const refusals = await findUnlockRefusals(ctx, page.list)
  const list = page.list.map((row) => ({ ...withLocation(row), changeRefusal: refusals.get(keyOf(row)) ?? null }))
  return { ...page, list }
}

const keyOf = ({ account }: { account: string }) => account.toLowerCase()

/** Returns the locked accounts of the rows that the caller may not unlock, by lower-case name, with the reason. */
async function findUnlockRefusals(ctx: Ctx, rows: readonly { account: string; locked: boolean }[]) {
  const names = [...new Set(rows.flatMap((row) => (row.locked ? [keyOf(row)] : [])))]
  if (names.length === 0) return new Map<string, string | null>()
  const found = await ctx.db
    .select({ uid: accounts.uid, account: accounts.account })
    .from(accounts)
    .where(and(inArray(sql`lower(${accounts.account})`, names), notDeleted(accounts)))
  const rated = await addChangeRefusals(ctx, found)
  return new Map(rated.map((row) => [keyOf(row), row.changeRefusal]))
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
  key: loginLogs.infoId,
  where: conditionsOf,
  order: orderOf,
  load: (db, _user, where) => select(db).where(where),
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
  if (found) await assertMayChangeAccounts(ctx, [found.uid])
  await liftLocks(db, account)
  ctx.audit({ bizType: 'account', bizId: found?.uid ?? '', action: `解锁账号「${account}」` })
  return null
}
