import { ANY_PERMISSION } from '@oms/contract/kernel/rights.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import type { DataScope, User } from './context.ts'
import { PLATFORM_TENANT_ID } from './tenancy.ts'

/** The built-in role that may do everything. */
export const SUPER_ROLE_ID = 1
/** Data scopes of a role. */
export const SCOPE = { all: 1, own: 2, chosen: 3, mine: 4 } as const

/** What an account may do, as the database says right now. Shared by all sessions of the account. */
export interface Rights {
  readonly uid: number
  readonly account: string
  readonly realname: string
  readonly tenantId: number | null
  readonly tenantName: string
  readonly isSuper: boolean
  readonly roleIds: readonly number[]
  readonly roleCodes: readonly string[]
  readonly roleNames: readonly string[]
  readonly homeUrl: string
  readonly permissions: ReadonlySet<string>
  readonly menuIds: ReadonlySet<number>
  readonly scope: DataScope
  readonly mustChangePassword: boolean
  /** Why it may not be here at all, in words for the person; null when it may. */
  readonly barredBecause: string | null
}

interface RightsRow {
  uid: number
  account: string
  realname: string
  tenant_id: number | null
  tenant_name: string | null
  status: number
  expired: boolean
  pwd_must_change: boolean
  tenant_status: number | null
  tenant_deleted: boolean
  tenant_expired: boolean
  roles: { id: number; code: string; name: string; scope: number; ids: number[]; home: string }[] | null
}

/**
 * Rights of an account = the menus of its enabled roles ∩ (for a customer's account) the menus of its tenant's enabled
 * scenes ∩ enabled menus. Undefined when the account does not exist.
 */
export async function loadRights(db: Db, uid: number): Promise<Rights | undefined> {
  const { rows } = await db.execute<RightsRow & Record<string, unknown>>(sql`
    select a.uid, a.account, a.realname, a.tenant_id, t.name as tenant_name, a.status, a.pwd_must_change,
      coalesce(a.expire_time < now(), false) as expired, t.status as tenant_status,
      t.deleted_at is not null as tenant_deleted, coalesce(t.expire_time < now(), false) as tenant_expired,
      (select json_agg(json_build_object('id', r.id, 'code', r.role_code, 'name', r.role_name, 'scope', r.data_scope,
          'ids', r.scope_ids, 'home', r.home_url) order by r.role_sort, r.id)
        from account_roles ar join roles r on r.id = ar.role_id
        where ar.uid = a.uid and r.status = 1 and r.deleted_at is null and r.tenant_id = a.tenant_id) as roles
    from accounts a left join tenants t on t.id = a.tenant_id
    where a.uid = ${uid} and a.deleted_at is null`)
  const row = rows[0]
  if (!row) return undefined
  const roles = row.roles ?? []
  const isPlatform = row.tenant_id === PLATFORM_TENANT_ID
  const isSuper = isPlatform && roles.some(({ id }) => id === SUPER_ROLE_ID)
  const granted = await grantedMenus(db, {
    isSuper,
    isPlatform,
    tenantId: row.tenant_id,
    roleIds: roles.map((r) => r.id),
  })
  return {
    uid: row.uid,
    account: row.account,
    realname: row.realname,
    tenantId: row.tenant_id,
    tenantName: row.tenant_name ?? '',
    isSuper,
    roleIds: roles.map((role) => role.id),
    roleCodes: roles.map((role) => role.code),
    roleNames: roles.map((role) => role.name),
    homeUrl: roles.find((role) => role.home)?.home ?? '',
    permissions: new Set(granted.flatMap(({ perms }) => (perms ? [perms] : []))),
    menuIds: new Set(granted.map(({ id }) => id)),
    scope: scopeOf(roles, row.tenant_id, { isSuper, made: await madeBy(db, uid, roles) }),
    mustChangePassword: row.pwd_must_change,
    barredBecause: barredBecause(row),
  }
}

interface Grant {
  isSuper: boolean
  isPlatform: boolean
  tenantId: number | null
  roleIds: number[]
}

async function grantedMenus(db: Db, { isSuper, isPlatform, tenantId, roleIds }: Grant) {
  if (!isSuper && roleIds.length === 0) return []
  const byRole = isSuper ? sql`true` : sql`m.id in (select menu_id from role_menus where role_id in ${roleIds})`
  const byScene = isPlatform ? sql`true` : sql`m.id in (select menu_id from ${menusOfTenant(tenantId)} as offered)`
  const { rows } = await db.execute<{ id: number; perms: string }>(
    sql`select m.id, m.perms from menus m where m.status = 1 and m.deleted_at is null and ${byRole} and ${byScene}`,
  )
  return rows
}

/** The menus that a tenant's enabled scenes offer, as a sub-select with the column `menu_id`. */
export const menusOfTenant = (tenantId: number | null) => sql`(
  select sm.menu_id from tenant_scenes ts join scenes s on s.id = ts.scene_id and s.status = 1 and s.deleted_at is null
  join scene_menus sm on sm.scene_id = s.id where ts.tenant_id = ${tenantId})`

function barredBecause(row: RightsRow): string | null {
  if (row.status !== 1) return '账号已停用，请联系管理员'
  if (row.expired) return '账号已过期，请联系管理员'
  if (row.tenant_id === null || row.tenant_id === PLATFORM_TENANT_ID) return null
  if (row.tenant_expired) return '所属客户已到期，请联系管理员'
  if (row.tenant_deleted || row.tenant_status !== 1) return '所属客户已停用，请联系管理员'
  return null
}

/** Who sees chosen customers sees those as well that it opened itself: it keeps them from the first moment. */
async function madeBy(db: Db, uid: number, roles: readonly { scope: number }[]) {
  if (!roles.some(({ scope }) => scope === SCOPE.chosen)) return []
  const { rows } = await db.execute<{ id: number }>(
    sql`select id from tenants where create_by = ${uid} and deleted_at is null order by id desc limit ${MOST_MADE}`,
  )
  return rows.map(({ id }) => id)
}
/** A list in every condition: beyond it one wants a role for all customers. */
const MOST_MADE = 2000

interface Reach {
  readonly isSuper: boolean
  readonly made: readonly number[]
}

/** Widest of the roles' scopes. A customer's account never sees beyond its own tenant. */
function scopeOf(
  roles: { scope: number; ids: number[] }[],
  tenantId: number | null,
  { isSuper, made }: Reach,
): DataScope {
  const own = tenantId === null ? [] : [tenantId]
  if (isSuper) return { tenants: 'all', ownOnly: false }
  const ownOnly = roles.length > 0 && roles.every(({ scope }) => scope === SCOPE.mine)
  if (tenantId !== PLATFORM_TENANT_ID) return { tenants: own, ownOnly }
  if (roles.some(({ scope }) => scope === SCOPE.all)) return { tenants: 'all', ownOnly: false }
  const chosen = roles.flatMap(({ scope, ids }) => (scope === SCOPE.chosen ? ids : []))
  return { tenants: [...new Set([...own, ...chosen, ...made])], ownOnly }
}

/** The right to work in a customer other than one's own. */
const SWITCH = 'tenantManage:tenant:switch'

/** Is a session in this tenant one away from home? */
export const isVisit = ({ tenantId: home }: Pick<Rights, 'tenantId'>, tenantId: number | null) =>
  tenantId !== null && tenantId !== home

/** May the account work in that customer: with the right to, and never beyond what it reaches from its own desk? */
export const mayVisit = ({ tenantId: home, isSuper, permissions, scope }: Rights, tenantId: number) =>
  home === PLATFORM_TENANT_ID &&
  (isSuper || permissions.has(SWITCH)) &&
  (scope.tenants === 'all' || scope.tenants.includes(tenantId))

/** The user of one session, from the shared rights of the account and the tenant the session works in. */
export function userOf(rights: Rights, session: { id: string; tenantId: number | null }): User {
  const isPlatform = rights.tenantId === PLATFORM_TENANT_ID
  const visiting = isVisit(rights, session.tenantId)
  return {
    uid: rights.uid,
    account: rights.account,
    realname: rights.realname,
    homeTenantId: rights.tenantId,
    tenantId: session.tenantId,
    isPlatform,
    isSuper: rights.isSuper,
    roleIds: rights.roleIds,
    roleCodes: rights.roleCodes,
    // A visit narrows what one sees to that customer, and widens nothing.
    scope: visiting ? { tenants: [session.tenantId as number], ownOnly: rights.scope.ownOnly } : rights.scope,
    sessionId: session.id,
    mustChangePassword: rights.mustChangePassword,
    permissions: rights.permissions,
    can: (permission) => rights.isSuper || rights.permissions.has(permission),
  }
}

/** `buttons` of the perms call: every string by name; a super administrator's list starts with the wildcard. */
export const buttonsOf = (rights: Rights) =>
  rights.isSuper ? [ANY_PERMISSION, ...rights.permissions] : [...rights.permissions]
