import { AccountRow } from '@oms/contract/account/account-fields.ts'
import { accounts as contract } from '@oms/contract/account/account-list.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import { and, eq, type SQL, sql, asc, or, desc, gt, inArray, isNull } from 'drizzle-orm'
import { maskMobile } from '#core/audit/mask.ts'
import { unlockAccount as liftLocks } from '#core/auth/lockout.ts'
import { loadRights, type Rights } from '#core/auth/rights.ts'
import type { Db } from '#core/database/client.ts'
import { contains, buildSort, within, computePageOffset, paginate } from '#core/database/lists/list-query.ts'
import { notFound } from '#core/http/api-error.ts'
import type { User, Ctx } from '#core/http/context.ts'
import { locateIp } from '#core/http/request-log.ts'
import { accounts, sessions } from '#core/schema/account.ts'
import { loginLogs, menus, operLogs } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { defineExport } from '#core/spreadsheet/export.ts'
import { notDeleted, scoped, transactWithOperationLog } from '#core/tenancy/tenancy.ts'
import {
  type Account,
  lockAccountForChange,
  findAccountInScope,
  clearSessionsAfterCommit,
  formatAccountTitle,
  createResetCode,
  removeSecondFactor,
  resetPassword,
  setAccountStatus,
  buildStatusNote,
} from './account-actions.ts'
import { addChangeRefusals, assertMayChangeAccounts } from './account-guard.ts'
import { isAccountRowLocked, buildLockedFilter, addRoles, readRolesOfAccounts } from './account-roles.ts'
import { isLoggedRecordInScope } from './logged-records.ts'
import { buildHolderCondition } from './permission-holders.ts'

type AccountFilters = Omit<ParsedOf<typeof contract.list>, 'pageNum' | 'pageSize'>

/**
 * Returns the condition for accounts of visible tenants. Accounts without a tenant are visible only with unlimited
 * scope.
 */
const isAccountInScope = (user: User): SQL | undefined =>
  and(scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }), notDeleted(accounts))

const canSeeContacts = (user: User) => user.can('system:userList:plain')

function buildConditions(user: User, filters: AccountFilters) {
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

const buildAccountSort = (filters: AccountFilters) =>
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

const selectAccounts = (db: Db) =>
  db.select(listed).from(accounts).leftJoin(tenants, eq(tenants.id, accounts.tenantId)).$dynamic()

/** Adds roles to account rows and masks contact details unless permitted. */
const presentAccounts = <R extends Parameters<typeof addRoles>[1][number]>(db: Db, user: User, rows: readonly R[]) =>
  addRoles(db, rows, { plain: canSeeContacts(user) })

export async function listAccounts(ctx: Ctx, { pageNum, pageSize, ...filters }: ParsedOf<typeof contract.list>) {
  const { db, user } = ctx
  const rows = selectAccounts(db).where(buildConditions(user, filters))
  const page = await paginate(db, rows, { pageNum, pageSize }, buildAccountSort(filters))
  return { ...page, list: await addChangeRefusals(ctx, await presentAccounts(db, user, page.list)) }
}

/**
 * Lists colleagues: enabled accounts of the session's tenant. Phone numbers are always masked and found only in
 * full.
 */
export async function searchColleagues(
  { db, user }: Ctx,
  { keyword, forTickets, ...page }: ParsedOf<typeof contract.search>,
) {
  if (user.tenantId === null) return { list: [] }
  const named = or(
    contains(accounts.account, keyword),
    contains(accounts.realname, keyword),
    contains(accounts.nickname, keyword),
    keyword ? eq(accounts.mobileNo, keyword) : undefined,
  )
  const found = await db
    .select()
    .from(accounts)
    .where(
      and(
        eq(accounts.tenantId, user.tenantId),
        eq(accounts.status, 1),
        notDeleted(accounts),
        named,
        forTickets === 1 ? buildHolderCondition(user.tenantId, feedback.dispose.access) : undefined,
      ),
    )
    .orderBy(asc(accounts.uid))
    .limit(page.pageSize)
    .offset(computePageOffset(page))
  return {
    list: found.map(({ uid, account, nickname, realname, mobileNo }) => ({
      uid,
      account,
      nickName: nickname,
      realname,
      mobileNo: maskMobile(mobileNo) ?? '',
    })),
  }
}

const found = (ctx: Ctx, id: number) => lockAccountForChange(ctx, id, isAccountInScope(ctx.user))
const note = ({ uid }: Account, action: string) => ({ bizType: 'account', bizId: uid, action })

export async function enableAccount(ctx: Ctx, { id }: ParsedOf<typeof contract.enable>) {
  const account = await found(ctx, id)
  await setAccountStatus(ctx, account, 1)
  ctx.audit(buildStatusNote(account, 1))
  return null
}

export async function disableAccount(ctx: Ctx, { id }: ParsedOf<typeof contract.disable>) {
  const account = await found(ctx, id)
  await setAccountStatus(ctx, account, 0)
  ctx.audit(buildStatusNote(account, 0))
  return null
}

/**
 * Resets the password in its own transaction, together with the row of the operation log. The one-time password is
 * stored only as a hash, and encrypted in the response that repeated calls receive.
 */
export async function resetAccountPassword(ctx: Ctx, { id }: ParsedOf<typeof contract.resetPasswd>) {
  return transactWithOperationLog(ctx, async (db) => {
    const account = await found({ ...ctx, db }, id)
    ctx.audit(note(account, `重置账号${formatAccountTitle(account)}的密码`))
    return resetPassword({ ...ctx, db }, account)
  })
}

/**
 * Creates a reset code in its own transaction. The code is stored only as a hash, and encrypted in the response that
 * repeated calls receive.
 */
export async function createAccountResetCode(ctx: Ctx, { id }: ParsedOf<typeof contract.resetCode>) {
  return transactWithOperationLog(ctx, async (db) => {
    const account = await found({ ...ctx, db }, id)
    ctx.audit(note(account, `为账号${formatAccountTitle(account)}生成密码重置码`))
    return createResetCode({ ...ctx, db }, account)
  })
}

export async function removeAccountMfa(ctx: Ctx, { id }: ParsedOf<typeof contract.removeMfa>) {
  const account = await found(ctx, id)
  await removeSecondFactor(ctx, account)
  ctx.audit(note(account, `解除账号${formatAccountTitle(account)}的两步验证`))
  return null
}

export async function unlockAccounts(ctx: Ctx, { id }: ParsedOf<typeof contract.unlock>) {
  const account = await findAccountInScope(ctx, id, isAccountInScope(ctx.user))
  await assertMayChangeAccounts(ctx, [id])
  await liftLocks(ctx.db, account.account)
  ctx.audit(note(account, `解锁账号${formatAccountTitle(account)}`))
  return null
}

export async function endSessions(ctx: Ctx, { id }: ParsedOf<typeof contract.endSessions>) {
  const account = await found(ctx, id)
  const ended = await ctx.services.sessions.endOf(ctx.db, [id], 'forced')
  clearSessionsAfterCommit(ctx)
  ctx.audit(note(account, `强制账号${formatAccountTitle(account)}下线，结束${ended}个会话`))
  if (ended > 0)
    await ctx.db.insert(loginLogs).values({
      account: account.account,
      uid: id,
      tenantId: account.tenantId,
      loginType: 4,
      ip: ctx.request.ip,
      msg: `被${ctx.user.account}强制下线，结束${ended}个会话`,
    })
  return { ended }
}

const COLUMNS = [
  'uid',
  'account',
  'realname',
  'nickname',
  'mobileNo',
  'email',
  'tenantName',
  'roleNames',
  'status',
  'locked',
  'mfaEnabled',
  ['lastLoginTime', { type: 'dateTime', width: 20 }],
  'lastLoginIp',
  ['loginCount', { type: 'number' }],
  ['createTime', { type: 'dateTime', width: 20 }],
] as const

/** Exports the filtered list in list order. Phone numbers and mail addresses are masked as in the list. */
export const exportAccounts = defineExport({
  kind: 'account',
  endpoint: contract.export,
  sheet: '账号',
  schema: AccountRow,
  columns: COLUMNS,
  key: accounts.uid,
  where: buildConditions,
  order: buildAccountSort,
  load: async (db, user, where) => presentAccounts(db, user, await selectAccounts(db).where(where)),
  keyOf: ({ uid }) => uid,
  line: ({ status }) => ({ status: status === 1 ? '启用' : '停用' }),
})

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
