import type { accounts as contract } from '@oms/contract/account/account-list.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, asc, desc, eq, gt, inArray, isNull, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { accounts, sessions } from '#core/schema/account.ts'
import { loginLogs, menus, operLogs } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { isAccountRowLocked } from '../lock-filter.ts'
import { addChangeRefusals } from '../account-guard.ts'
import { readRolesOfAccounts } from '../account-roles.ts'
import { isLoggedRecordInScope } from '../logged-records.ts'
import type { Ctx } from '#core/http/context.ts'
import { locateIp } from '#core/http/request-log.ts'
import { notFound } from '#core/http/api-error.ts'
import { loadRights, type Rights } from '#core/auth/rights.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { presentAccounts, isAccountInScope } from './account-rows.ts'

/** Maximum age of recent logins and operations, because the logs are partitioned by time. */
const RECENT = sql`now() - interval '90 days'`
const RECENT_ROWS = 10

/**
 * Returns one account with its roles, permissions, sessions and operations. Each part requires the permission of its
 * list.
 */
export async function getAccountOverview(ctx: Ctx, { id }: ParsedOf<typeof contract.detail>) {
  const { db, user } = ctx
  const [found] = await db
    .select({ row: accounts, locked: isAccountRowLocked, tenantName: sql<string>`coalesce(${tenants.name}, '')` })
    .from(accounts)
    .leftJoin(tenants, eq(tenants.id, accounts.tenantId))
    .where(and(eq(accounts.uid, id), isAccountInScope(user)))
  const rights = found && (await loadRights(db, id))
  if (!found || !rights) throw notFound('账号')
  const { row, locked, tenantName } = found
  const [account] = await addChangeRefusals(ctx, await presentAccounts(db, user, [{ ...row, locked, tenantName }]))
  if (!account) throw notFound('账号')
  return {
    account,
    roles: (await readRolesOfAccounts(db, [id])).get(id) ?? [],
    rights: await rightsByPage(db, rights),
    isSuper: rights.isSuper,
    suspendedReason: rights.suspendedReason,
    sessions: user.can('system:online:list') ? await openSessions(ctx, id) : null,
    logins: user.can('system:loginLog:list') ? await recentLogins(db, id) : null,
    operations: user.can('system:operLog:list') ? await recentOperations(ctx, id) : null,
  }
}

/** Returns the permissions of an account by page in the order of the menu. */
async function rightsByPage(db: Db, { menuIds }: Rights) {
  if (menuIds.size === 0) return []
  const rows = await db
    .select({ id: menus.id, parentId: menus.parentId, name: menus.name, type: menus.type })
    .from(menus)
    .where(and(inArray(menus.id, [...menuIds]), inArray(menus.type, ['C', 'F']), notDeleted(menus)))
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
  return rows.map((row) => ({ ...row, location: locateIp(row.ip) }))
}

/** Returns the last operations of an account, without actions on records outside the caller's data scope. */
const recentOperations = ({ db, user }: Ctx, uid: number) =>
  db
    .select({
      operId: operLogs.operId,
      operTime: operLogs.operTime,
      title: operLogs.title,
      action: operLogs.action,
      status: operLogs.status,
    })
    .from(operLogs)
    .where(
      and(
        eq(operLogs.uid, uid),
        gt(operLogs.operTime, RECENT),
        scoped(user, { tenant: operLogs.tenantId }),
        isLoggedRecordInScope(user),
      ),
    )
    .orderBy(desc(operLogs.operTime), desc(operLogs.operId))
    .limit(RECENT_ROWS)
