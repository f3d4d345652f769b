import { ANY_PERMISSION } from '@oms/contract/core/rights.ts'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { DataScope, User } from '#core/http/context.ts'
import { forbidden } from '#core/http/api-error.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

/**
 * Throws unless the account has a permission of any page in this directory of the sidebar. For options that all pages
 * of the directory use. `directory` is the first part of their permission strings.
 */
export function assertHasPermissionInDirectory(
  { isSuper, permissions }: Pick<User, 'isSuper' | 'permissions'>,
  directory: string,
) {
  if (!isSuper && ![...permissions].some((permission) => permission.startsWith(`${directory}:`))) throw forbidden()
}

/** Id of the built-in role that has every permission. */
export const SUPER_ROLE_ID = 1
/** Data scopes of a role. */
export const DATA_SCOPE_CODE = { all: 1, own: 2, chosen: 3, mine: 4 } as const

/** Current rights of an account in the database. All sessions of the account share one object. */
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
  /** Chinese reason why the account is suspended, or null. */
  readonly suspendedReason: string | null
}

interface RightsRow {
  uid: number
  account: string
  realname: string
  tenant_id: number | null
  tenant_name: string | null
  status: number
  /** Epoch milliseconds. */
  expires_at: number | null
  pwd_must_change: boolean
  tenant_status: number | null
  tenant_deleted: boolean
  tenant_expires_at: number | null
  roles: { id: number; code: string; name: string; scope: number; ids: number[]; home: string }[] | null
}

/**
 * Loads the rights of an account: menus of its enabled roles ∩ enabled menus. For a tenant's account, also ∩ menus of
 * the tenant's enabled scenes. Returns undefined when the account does not exist.
 */
export async function loadRights(db: Db, uid: number): Promise<Rights | undefined> {
  const row = await findAccount(db, uid)
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
    scope: scopeOf(roles, row.tenant_id, { isSuper, made: await tenantsCreatedBy(db, uid, roles) }),
    mustChangePassword: row.pwd_must_change,
    // Computed on every request, so that cached rights end at the moment of expiry.
    get suspendedReason() {
      return suspendedReason(row, Date.now())
    },
  }
}

/** Returns the account with its tenant and enabled roles, or undefined when the account does not exist. */
async function findAccount(db: Db, uid: number): Promise<RightsRow | undefined> {
  const { rows } = await db.execute<RightsRow & Record<string, unknown>>(sql`
    select a.uid, a.account, a.realname, a.tenant_id, t.name as tenant_name, a.status, a.pwd_must_change,
      extract(epoch from a.expire_time)::float8 * 1000 as expires_at, t.status as tenant_status,
      t.deleted_at is not null as tenant_deleted, extract(epoch from t.expire_time)::float8 * 1000 as tenant_expires_at,
      (select json_agg(json_build_object('id', r.id, 'code', r.role_code, 'name', r.role_name, 'scope', r.data_scope,
          'ids', r.scope_ids, 'home', r.home_url) order by r.role_sort, r.id)
        from account_roles ar join roles r on r.id = ar.role_id
        where ar.uid = a.uid and r.status = 1 and r.deleted_at is null and r.tenant_id = a.tenant_id) as roles
    from accounts a left join tenants t on t.id = a.tenant_id
    where a.uid = ${uid} and a.deleted_at is null`)
  return rows[0]
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
  const byScene = isPlatform
    ? sql`true`
    : sql`m.id in (select menu_id from ${selectMenusOfTenant(tenantId)} as offered)`
  const { rows } = await db.execute<{ id: number; perms: string }>(
    sql`select m.id, m.perms from menus m where m.status = 1 and m.deleted_at is null and ${byRole} and ${byScene} order by m.id`,
  )
  return rows
}

/** Returns a sub-select (column `menu_id`) of the menus that the enabled scenes of a tenant offer. */
export const selectMenusOfTenant = (tenantId: number | null) => sql`(
  select sm.menu_id from tenant_scenes ts join scenes s on s.id = ts.scene_id and s.status = 1 and s.deleted_at is null
  join scene_menus sm on sm.scene_id = s.id where ts.tenant_id = ${tenantId})`

function suspendedReason(row: RightsRow, now: number): string | null {
  const isPast = (at: number | null) => at !== null && at <= now
  if (row.status !== 1) return '账号已停用，请联系管理员'
  if (isPast(row.expires_at)) return '账号已过期，请联系管理员'
  if (row.tenant_id === null || row.tenant_id === PLATFORM_TENANT_ID) return null
  if (isPast(row.tenant_expires_at)) return '所属客户已过期，请联系管理员'
  if (row.tenant_deleted || row.tenant_status !== 1) return '所属客户已停用，请联系管理员'
  return null
}

/**
 * Returns the tenants that the account created. An account with the scope "chosen tenants" or "own records" also sees
 * these tenants.
 */
async function tenantsCreatedBy(db: Db, uid: number, roles: readonly { scope: number }[]) {
  const isLimited = ({ scope }: { scope: number }) => scope === DATA_SCOPE_CODE.chosen || scope === DATA_SCOPE_CODE.mine
  if (!roles.some(isLimited)) return []
  const { rows } = await db.execute<{ id: number }>(
    sql`select id from tenants where create_by = ${uid} and deleted_at is null order by id desc limit ${MAX_CREATED_TENANTS}`,
  )
  return rows.map(({ id }) => id)
}
/** Limits the size of the IN list. An account with more tenants needs a role with scope "all". */
const MAX_CREATED_TENANTS = 2000

interface Reach {
  readonly isSuper: boolean
  readonly made: readonly number[]
}

/** Returns the widest scope of the roles. A tenant's account never sees other tenants. */
function scopeOf(
  roles: { scope: number; ids: number[] }[],
  tenantId: number | null,
  { isSuper, made }: Reach,
): DataScope {
  const own = tenantId === null ? [] : [tenantId]
  if (isSuper) return { tenants: 'all', ownOnly: false }
  const ownOnly = roles.length > 0 && roles.every(({ scope }) => scope === DATA_SCOPE_CODE.mine)
  if (tenantId !== PLATFORM_TENANT_ID) return { tenants: own, ownOnly }
  if (roles.some(({ scope }) => scope === DATA_SCOPE_CODE.all)) return { tenants: 'all', ownOnly: false }
  const chosen = roles.flatMap(({ scope, ids }) => (scope === DATA_SCOPE_CODE.chosen ? ids : []))
  return { tenants: [...new Set([...own, ...chosen, ...made])], ownOnly }
}

/** Permission to switch to another tenant. */
const SWITCH = 'tenantManage:tenant:switch'

/** Returns true when a session in this tenant works outside the account's home tenant. */
export const hasSwitchedTenant = ({ tenantId: home }: Pick<Rights, 'tenantId'>, tenantId: number | null) =>
  tenantId !== null && tenantId !== home

/**
 * Returns true when the account may switch to that tenant: it has the permission and the tenant is within its scope.
 */
export const canSwitchTenant = ({ tenantId: home, isSuper, permissions, scope }: Rights, tenantId: number) =>
  home === PLATFORM_TENANT_ID &&
  (isSuper || permissions.has(SWITCH)) &&
  (scope.tenants === 'all' || scope.tenants.includes(tenantId))

/** Creates the user of one session from the shared rights and the tenant that the session works in. */
export function createUser(rights: Rights, session: { id: string; tenantId: number | null }): User {
  const isPlatform = rights.tenantId === PLATFORM_TENANT_ID
  const isSwitched = hasSwitchedTenant(rights, session.tenantId)
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
    // Switching tenant limits the scope to that tenant and never widens it.
    scope: isSwitched ? { tenants: [session.tenantId as number], ownOnly: rights.scope.ownOnly } : rights.scope,
    sessionId: session.id,
    mustChangePassword: rights.mustChangePassword,
    permissions: rights.permissions,
    can: (permission) => rights.isSuper || rights.permissions.has(permission),
  }
}

/**
 * Returns `buttons` of the permissions call: permission strings sorted by name. A super administrator's list starts
 * with the wildcard.
 */
export const listButtons = (rights: Rights) =>
  rights.isSuper ? [ANY_PERMISSION, ...rights.permissions] : [...rights.permissions]
