import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { LOGIN_LOG_DAYS, LoginLogRow, logs, LOG_MAX_DAYS, findLogRangeProblem } from '@oms/contract/system/log.ts'
import { and, asc, desc, eq, inArray, sql, type Column, gte, lte, type SQL } from 'drizzle-orm'
import { isAccountLocked, unlockAccount as liftLocks } from '#core/auth/lockout.ts'
import type { Db } from '#core/database/client.ts'
import { contains, paginate, buildSort } from '#core/database/lists/list-query.ts'
import { notFound, invalid, refused } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { locateIp } from '#core/http/request-log.ts'
import { accounts, sessions } from '#core/schema/account.ts'
import { loginLogs } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { notDeleted, isTenantInScope, scoped } from '#core/tenancy/tenancy.ts'
import {
  clearSessionsAfterCommit,
  isOpenAccountSession,
  addChangeRefusals,
  assertMayChangeAccounts,
  assertMayChangeOtherAccount,
} from '#modules/account/index.ts'

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

interface Asked {
  beginTime?: string | undefined
  endTime?: string | undefined
}

/**
 * Returns the time range of a log query, so that only its partitions are read: by default the last `days`, at most
 * 366 days.
 */
export function buildLogRange(column: Column, { beginTime: begin, endTime: end }: Asked, days: number): SQL[] {
  const problem = findLogRangeProblem(begin, end)
  if (problem) throw invalid(problem, 'endTime')
  if (begin && end) return [gte(column, begin), lte(column, lastOf(end))]
  const most = sql`make_interval(days => ${LOG_MAX_DAYS}::int)`
  if (begin) return [gte(column, begin), lte(column, sql`${begin}::timestamptz + ${most}`)]
  if (end) return [gte(column, sql`${lastOf(end)}::timestamptz - ${most}`), lte(column, lastOf(end))]
  return [gte(column, sql`date_trunc('day', now()) - make_interval(days => ${days - 1}::int)`)]
}

/** Returns the end of the range. A date without a time means the end of the day. */
const lastOf = (end: string) => (end.length === 10 ? `${end} 23:59:59.999` : `${end}.999`)

const FORCED_OUT = 4

export async function listOnlineSessions(ctx: Ctx, { account, ip, ...input }: ParsedOf<typeof logs.online>) {
  const { db, user } = ctx
  const rows = db
    .select({
      sessionId: sessions.id,
      uid: sessions.uid,
      account: accounts.account,
      realname: accounts.realname,
      tenantName: sql<string>`coalesce(${tenants.name}, '')`,
      ip: sessions.ip,
      browser: sessions.browser,
      os: sessions.os,
      loginTime: sessions.loginTime,
      lastActiveTime: sessions.lastActiveTime,
      console: sql<boolean>`${sessions.cookieHash} is not null`,
    })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.uid, sessions.uid))
    .leftJoin(tenants, eq(tenants.id, accounts.tenantId))
    .where(and(isOpenAccountSession(ctx), contains(accounts.account, account), contains(sessions.ip, ip)))
    .$dynamic()
  const columns = { lastActiveTime: sessions.lastActiveTime, loginTime: sessions.loginTime }
  const newest = [sql`${sessions.lastActiveTime} desc`, sql`${sessions.id} desc`]
  const page = await paginate(db, rows, input, buildSort(input, columns, sessions.id, newest))
  return {
    ...page,
    list: (await addChangeRefusals(ctx, page.list)).map((row) => ({
      ...row,
      location: locateIp(row.ip),
      current: row.sessionId === user.sessionId,
    })),
  }
}

export const endSession = (ctx: Ctx, { sessionId }: ParsedOf<typeof logs.forceOut>) => endAll(ctx, [sessionId])
export const endSessions = (ctx: Ctx, { ids }: ParsedOf<typeof logs.forceOutMany>) => endAll(ctx, ids)

/** Ends sessions in every process and writes a login log row for each. */
async function endAll(ctx: Ctx, ids: readonly string[]) {
  const { db, user, services } = ctx
  if (ids.includes(user.sessionId)) throw refused('不能强制下线当前会话')
  const chosen = await db
    .select({ session: sessions, account: accounts.account, tenantId: accounts.tenantId })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.uid, sessions.uid))
    .where(and(inArray(sessions.id, [...ids]), isOpenAccountSession(ctx)))
  if (chosen.length === 0) throw notFound('会话')
  const others = new Set(chosen.flatMap(({ session: { uid } }) => (uid === user.uid ? [] : [uid])))
  for (const uid of others) await assertMayChangeOtherAccount(ctx, { uid })
  const ended = await services.sessions.end(
    db,
    chosen.map(({ session }) => session.id),
    'forced',
  )
  clearSessionsAfterCommit(ctx)
  await db.insert(loginLogs).values(
    chosen.map(({ session, account, tenantId }) => ({
      account,
      tenantId,
      uid: session.uid,
      loginType: FORCED_OUT,
      ip: session.ip,
      browser: session.browser,
      os: session.os,
      userAgent: session.userAgent,
      msg: `被${user.account}强制下线`,
    })),
  )
  ctx.audit({
    bizType: 'account',
    records: [...Map.groupBy(chosen, ({ session }) => session.uid)].map(([uid, own]) => ({
      id: uid,
      action: `强制下线：${own[0]!.account}`,
      input: { ids: own.map(({ session }) => session.id) },
    })),
  })
  return { ended }
}
