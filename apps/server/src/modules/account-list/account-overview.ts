import type { accounts as contract } from '@oms/contract/account-list.ts'
import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { and, asc, desc, eq, gt, inArray, isNull, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { accounts, sessions } from '#db/schema/account.ts'
import { loginLogs, menus, operLogs } from '#db/schema/system.ts'
import { tenants } from '#db/schema/tenant.ts'
import { isLocked } from '#kernel/accounts/lock-filter.ts'
import { rolesOfAccounts } from '#kernel/accounts/account-roles.ts'
import type { Ctx } from '#kernel/context.ts'
import { placeOf } from '#kernel/place.ts'
import { notFound } from '#kernel/problem.ts'
import { loadRights, type Rights } from '#kernel/rights.ts'
import { alive } from '#kernel/tenancy.ts'
import { dressed, reachedBy } from './account-rows.ts'

/** How far back recent logins and operations are looked for: the logs are partitioned by time. */
const RECENT = sql`now() - interval '90 days'`
const RECENT_ROWS = 10

/** One account with its roles, rights, sessions and doings; each part only for those who may see the list it is from. */
export async function detail(ctx: Ctx, { id }: ParsedOf<typeof contract.detail>) {
  const { db, user } = ctx
  const [found] = await db
    .select({ row: accounts, locked: isLocked, tenantName: sql<string>`coalesce(${tenants.name}, '')` })
    .from(accounts)
    .leftJoin(tenants, eq(tenants.id, accounts.tenantId))
    .where(and(eq(accounts.uid, id), reachedBy(user)))
  const rights = found && (await loadRights(db, id))
  if (!found || !rights) throw notFound('账号')
  const { row, locked, tenantName } = found
  const [account] = await dressed(db, user, [{ ...row, locked, tenantName }])
  if (!account) throw notFound('账号')
  return {
    account,
    roles: (await rolesOfAccounts(db, [id])).get(id) ?? [],
    rights: await rightsByPage(db, rights),
    isSuper: rights.isSuper,
    barredBecause: rights.barredBecause,
    sessions: user.can('system:online:list') ? await openSessions(ctx, id) : null,
    logins: user.can('system:loginLog:list') ? await recentLogins(db, id) : null,
    operations: user.can('system:operLog:list') ? await recentOperations(db, id) : null,
  }
}

/** What an account may do, page by page in the menu's order. */
async function rightsByPage(db: Db, { menuIds }: Rights) {
  if (menuIds.size === 0) return []
  const rows = await db
    .select({ id: menus.id, parentId: menus.parentId, name: menus.name, type: menus.type })
    .from(menus)
    .where(and(inArray(menus.id, [...menuIds]), inArray(menus.type, ['C', 'F']), alive(menus)))
    .orderBy(asc(menus.parentId), asc(menus.sort), asc(menus.id))
  const pages = rows.filter(({ type }) => type === 'C')
  return pages.map((page) => ({
    page: page.name,
    actions: rows.filter(({ type, parentId }) => type === 'F' && parentId === page.id).map(({ name }) => name),
  }))
}

async function openSessions({ db, user }: Ctx, uid: number) {
  const live = await db
    .select()
    .from(sessions)
    .where(and(eq(sessions.uid, uid), isNull(sessions.endTime), gt(sessions.expireTime, sql`now()`)))
    .orderBy(desc(sessions.lastActiveTime))
    .limit(100)
  return live.map(({ id, ...row }) => ({ ...row, sessionId: id, current: id === user.sessionId }))
}

async function recentLogins(db: Db, uid: number) {
  const [{ account } = { account: '' }] = await db
    .select({ account: accounts.account })
    .from(accounts)
    .where(eq(accounts.uid, uid))
  const rows = await db
    .select()
    .from(loginLogs)
    .where(and(eq(loginLogs.account, account), eq(loginLogs.uid, uid), gt(loginLogs.loginTime, RECENT)))
    .orderBy(desc(loginLogs.loginTime), desc(loginLogs.infoId))
    .limit(RECENT_ROWS)
  return rows.map((row) => ({ ...row, location: placeOf(row.ip) }))
}

const recentOperations = (db: Db, uid: number) =>
  db
    .select({
      operId: operLogs.operId,
      operTime: operLogs.operTime,
      title: operLogs.title,
      action: operLogs.action,
      status: operLogs.status,
    })
    .from(operLogs)
    .where(and(eq(operLogs.uid, uid), gt(operLogs.operTime, RECENT)))
    .orderBy(desc(operLogs.operTime), desc(operLogs.operId))
    .limit(RECENT_ROWS)
