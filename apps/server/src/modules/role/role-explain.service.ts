import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { role } from '@oms/contract/role/role.ts'
import { and, asc, eq, sql } from 'drizzle-orm'
import { accountRoles, accounts, roleMenus, roles } from '#schema/account.ts'
import { menus } from '#schema/system.ts'
import { scenes, sceneMenus, tenantScenes, tenants } from '#schema/tenant.ts'
import type { Ctx } from '#core/http/context.ts'
import { invalid, notFound } from '#core/http/api-error.ts'
import { TENANT_EXPIRED_CONDITION } from '#domain/tenants/expired-tenant.ts'
import { loadRights } from '#core/auth/rights.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'

interface Verdict {
  rule: string
  pass: boolean
  detail: string
}

/** Lists the server's permission rules with the verdict of each, and the final decision of the server. */
export async function explainPermission(ctx: Ctx, { uid, permission }: ParsedOf<typeof role.explain>) {
  const person = await personOf(ctx, uid)
  const [menu] = await ctx.db
    .select()
    .from(menus)
    .where(and(eq(menus.perms, permission), notDeleted(menus)))
  if (!menu) throw invalid('没有这个权限标识，请在菜单管理中核对', 'permission')
  const rights = await loadRights(ctx.db, uid)
  const held = await rolesOf(ctx, person, menu.id)
  const isCustomer = person.tenantId !== null && person.tenantId !== PLATFORM_TENANT_ID
  const rules = [
    accountRule(person),
    ...(isCustomer ? [tenantRule(person)] : []),
    ...(rights?.isSuper ? [superRule()] : roleRules(held)),
    ...(isCustomer ? [await sceneRule(ctx, person.tenantId ?? 0, menu.id)] : []),
    ...(rights?.isSuper ? [] : [menuRule(menu.status)]),
    ...(person.pwdMustChange ? [{ rule: '登录密码', pass: false, detail: '须先修改初始密码才能使用' }] : []),
  ]
  const granted = rights !== undefined && (rights.isSuper || rights.permissions.has(permission))
  const allowed = granted && !rights.suspendedReason && !person.pwdMustChange
  const broken = rules.find(({ pass }) => !pass)
  return {
    allowed,
    summary: allowed ? '可以使用该权限' : `不能使用该权限：${broken?.detail ?? '没有任何角色授予该权限'}`,
    account: person.account,
    permission,
    permissionName: menu.name,
    rules,
  }
}

type Person = Awaited<ReturnType<typeof personOf>>

async function personOf({ db, user }: Ctx, uid: number) {
  const [found] = await db
    .select({
      uid: accounts.uid,
      account: accounts.account,
      tenantId: accounts.tenantId,
      status: accounts.status,
      pwdMustChange: accounts.pwdMustChange,
      expired: sql<boolean>`coalesce(${accounts.expireTime} <= now(), false)`,
      tenantName: tenants.name,
      tenantStatus: tenants.status,
      tenantGone: sql<boolean>`${tenants.deletedAt} is not null`,
      tenantExpired: TENANT_EXPIRED_CONDITION,
    })
    .from(accounts)
    .leftJoin(tenants, eq(tenants.id, accounts.tenantId))
    .where(
      and(
        eq(accounts.uid, uid),
        notDeleted(accounts),
        scoped(user, { tenant: accounts.tenantId, creator: accounts.createBy }),
      ),
    )
  if (!found) throw notFound('账号')
  return found
}

function accountRule({ status, expired }: Person): Verdict {
  if (status !== 1) return { rule: '账号状态', pass: false, detail: '账号已停用' }
  return { rule: '账号状态', pass: !expired, detail: expired ? '账号已过期' : '账号已启用' }
}

function tenantRule({ tenantName, tenantStatus, tenantGone, tenantExpired }: Person): Verdict {
  const name = tenantName ?? ''
  if (tenantGone || tenantStatus !== 1) return { rule: '所属客户', pass: false, detail: `客户「${name}」已停用` }
  const detail = tenantExpired ? `客户「${name}」已过期` : `客户「${name}」正常`
  return { rule: '所属客户', pass: !tenantExpired, detail }
}

const superRule = (): Verdict => ({
  rule: '超级管理员',
  pass: true,
  detail: '拥有超级管理员角色，不受角色、场景和菜单的限制',
})

interface HeldRole {
  name: string
  status: number
  holds: boolean
}

/** Returns all roles of the account and whether each holds the menu. */
async function rolesOf({ db }: Ctx, { uid, tenantId }: Person, menuId: number): Promise<HeldRole[]> {
  return db
    .select({
      name: roles.roleName,
      status: roles.status,
      holds: sql<boolean>`exists (select from ${roleMenus} rm where rm.role_id = ${roles.id} and rm.menu_id = ${menuId})`,
    })
    .from(accountRoles)
    .innerJoin(roles, eq(roles.id, accountRoles.roleId))
    .where(and(eq(accountRoles.uid, uid), notDeleted(roles), eq(roles.tenantId, tenantId ?? 0)))
    .orderBy(asc(roles.roleSort), asc(roles.id))
}

const quoted = (names: readonly string[]) => names.map((name) => `「${name}」`).join('')

function roleRules(all: readonly HeldRole[]): Verdict[] {
  const holding = all.filter(({ holds }) => holds)
  if (holding.length === 0) {
    const detail = all.length ? `所属角色${quoted(all.map(({ name }) => name))}都没有该权限` : '账号没有任何角色'
    return [{ rule: '角色授权', pass: false, detail }]
  }
  const on = holding.filter(({ status }) => status === 1)
  const given = { rule: '角色授权', pass: true, detail: `由角色${quoted(holding.map(({ name }) => name))}授予` }
  const detail = on.length
    ? `角色${quoted(on.map(({ name }) => name))}已启用`
    : `授予该权限的角色${quoted(holding.map(({ name }) => name))}已停用`
  return [given, { rule: '角色状态', pass: on.length > 0, detail }]
}

/** Returns the verdict on the tenant's scenes that offer the menu. Only enabled scenes count. */
async function sceneRule({ db }: Ctx, tenantId: number, menuId: number): Promise<Verdict> {
  const offering = await db
    .select({ name: scenes.sceneName, status: scenes.status })
    .from(tenantScenes)
    .innerJoin(scenes, eq(scenes.id, tenantScenes.sceneId))
    .innerJoin(sceneMenus, eq(sceneMenus.sceneId, scenes.id))
    .where(and(eq(tenantScenes.tenantId, tenantId), eq(sceneMenus.menuId, menuId), notDeleted(scenes)))
    .orderBy(asc(scenes.id))
  const on = offering.filter(({ status }) => status === 1).map(({ name }) => name)
  if (on.length) return { rule: '业务场景', pass: true, detail: `场景${quoted(on)}提供该权限` }
  const off = offering.map(({ name }) => name)
  const detail = off.length ? `提供该权限的场景${quoted(off)}已停用` : '客户的业务场景不含该权限'
  return { rule: '业务场景', pass: false, detail }
}

function menuRule(status: number): Verdict {
  const details: Readonly<Record<number, string>> = { 0: '菜单已停用', 1: '菜单已启用', 2: '上级菜单已停用' }
  return { rule: '菜单状态', pass: status === 1, detail: details[status] ?? '菜单已停用' }
}
