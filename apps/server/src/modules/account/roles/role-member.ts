import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { role } from '@oms/contract/account/role.ts'
import { and, desc, eq, exists, inArray, not, type SQL } from 'drizzle-orm'
import { accountRoles, accounts } from '#core/schema/account.ts'
import { addChangeRefusals, assertMayChangeAccounts } from '../account-guard.ts'
import type { Ctx } from '#core/http/context.ts'
import { assertMayGrant, assertSuperAdminRemains } from '#core/auth/grants.ts'
import { maskMobile } from '#core/audit/mask.ts'
import { notFound } from '#core/http/api-error.ts'
import { contains, paginate } from '#core/database/lists/list-query.ts'
import { SUPER_ROLE_ID } from '#core/auth/rights.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { publishRoleChanged, lockRole, type Role, readRole } from './role-rows.ts'

type Members = ParsedOf<typeof role.accountInRole>
type Assignment = ParsedOf<typeof role.addUserRole>

export const listRoleMembers = (ctx: Ctx, input: Members) => members(ctx, input, (holds) => holds)
export const listAccountsOutsideRole = (ctx: Ctx, input: Members) => members(ctx, input, not)

/** Lists the accounts of the role's tenant that hold, or do not hold, the role. */
async function members(ctx: Ctx, { id, account, realname, mobileNo, ...page }: Members, side: (holds: SQL) => SQL) {
  const { db, user } = ctx
  const { tenantId } = await readRole(ctx, id)
  const holds = exists(
    db
      .select({ uid: accountRoles.uid })
      .from(accountRoles)
      .where(and(eq(accountRoles.roleId, id), eq(accountRoles.uid, accounts.uid))),
  )
  const rows = db
    .select({
      uid: accounts.uid,
      account: accounts.account,
      realname: accounts.realname,
      nickname: accounts.nickname,
      mobileNo: accounts.mobileNo,
      status: accounts.status,
      createTime: accounts.createTime,
    })
    .from(accounts)
    .where(
      and(
        inTenant(ctx, tenantId),
        contains(accounts.account, account),
        contains(accounts.realname, realname),
        contains(accounts.mobileNo, mobileNo),
        side(holds),
      ),
    )
    .$dynamic()
  const found = await paginate(db, rows, page, [desc(accounts.uid)])
  const list = await addChangeRefusals(ctx, found.list)
  if (user.can('system:manager:plain')) return { ...found, list }
  return { ...found, list: list.map((row) => ({ ...row, mobileNo: maskMobile(row.mobileNo) })) }
}

const inTenant = ({ user }: Ctx, tenantId: number) =>
  and(
    notDeleted(accounts),
    eq(accounts.tenantId, tenantId),
    scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }),
  )

export async function addRoleMembers(ctx: Ctx, { roleId, uids }: Assignment) {
  const { db } = ctx
  const stored = await lockRole(ctx, roleId)
  await assertMayGrant(ctx, { roleIds: [roleId] })
  const meant = await accountsOf(ctx, stored, uids)
  const added = await db
    .insert(accountRoles)
    .values(meant.map(({ uid }) => ({ uid, roleId })))
    .onConflictDoNothing()
    .returning({ uid: accountRoles.uid })
  return recordMembership(ctx, stored, meant, added, '添加')
}

export async function removeRoleMembers(ctx: Ctx, { roleId, uids }: Assignment) {
  const { db } = ctx
  const stored = await lockRole(ctx, roleId)
  await assertMayGrant(ctx, { roleIds: [roleId] })
  const meant = await accountsOf(ctx, stored, uids)
  const going = meant.map(({ uid }) => uid)
  if (roleId === SUPER_ROLE_ID) await assertSuperAdminRemains(db, going)
  const removed = await db
    .delete(accountRoles)
    .where(and(eq(accountRoles.roleId, roleId), inArray(accountRoles.uid, going)))
    .returning({ uid: accountRoles.uid })
  return recordMembership(ctx, stored, meant, removed, '移除')
}

/** Returns the named accounts. Throws unless all belong to the role's tenant and the caller may change them. */
async function accountsOf(ctx: Ctx, { tenantId }: Role, uids: readonly number[]) {
  const wanted = [...new Set(uids)]
  const found = await ctx.db
    .select({ uid: accounts.uid, account: accounts.account })
    .from(accounts)
    .where(and(inArray(accounts.uid, wanted), inTenant(ctx, tenantId)))
  if (found.length < wanted.length) throw notFound('账号')
  await assertMayChangeAccounts(ctx, wanted)
  return found
}

async function recordMembership(
  ctx: Ctx,
  { id, roleName, tenantId }: Role,
  meant: { uid: number; account: string }[],
  changed: { uid: number }[],
  verb: '添加' | '移除',
) {
  const uids = new Set(changed.map(({ uid }) => uid))
  const names = meant.flatMap(({ uid, account }) => (uids.has(uid) ? [account] : []))
  const diff = [{ field: 'users', title: '用户', from: verb === '移除' ? names : [], to: verb === '添加' ? names : [] }]
  const shown = `${names.slice(0, 10).join('、')}${names.length > 10 ? '等' : ''}`
  ctx.audit({
    bizType: 'role',
    bizId: id,
    action: names.length
      ? `角色「${roleName}」${verb}${names.length}个用户：${shown}`
      : `角色「${roleName}」的用户没有变化`,
    diff: names.length ? diff : [],
  })
  if (uids.size) await publishRoleChanged(ctx, tenantId, [...uids])
  return { changed: uids.size }
}
