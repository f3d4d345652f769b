import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { scene } from '@oms/contract/scene/scene.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { menus } from '#schema/system.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { assertPlatform, listLeafMenuIds } from '#core/auth/grants.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { readSceneMenuIds, readScene } from './scene-rows.ts'

const MAX_TENANTS = 100
const MAX_ROLES = 200
const MAX_NAMES = 50

/**
 * Returns the accounts that would lose or gain permissions by this change of the scene. Writes nothing; equals the
 * result of a save now.
 */
export async function previewSceneImpact({ db, user }: Ctx, { id, menuIds, status }: ParsedOf<typeof scene.impact>) {
  assertPlatform(user)
  const stored = await readScene(db, id)
  const current = await readSceneMenuIds(db, id)
  const wanted = menuIds === undefined ? current : new Set(await listLeafMenuIds(db, menuIds))
  const before = stored.status === 1 ? current : new Set<number>()
  const after = (status ?? stored.status) === 1 ? wanted : new Set<number>()
  const names = await namesOf(db, new Set([...before, ...after, ...current, ...wanted]))
  const without = (from: ReadonlySet<number>, taken: ReadonlySet<number>) =>
    [...from].filter((each) => !taken.has(each))
  const diff = { gains: without(after, before), loses: without(before, after) }
  const affected = diff.gains.length + diff.loses.length ? await affectedBy(db, user, id, diff) : NOBODY
  const named = (ids: readonly number[]) => ids.flatMap((each) => names.get(each) ?? [])
  const shown = <Row extends Delta>({ gains, loses, ...row }: Row) => ({
    ...row,
    gains: named(gains),
    loses: named(loses),
  })
  return {
    ...affected,
    tenants: affected.tenants.map(shown),
    roles: affected.roles.map(shown),
    added: named(without(wanted, current)),
    removed: named(without(current, wanted)),
  }
}

/** Returns names of enabled pages and buttons by id: `用户管理 / 新增`. Disabled menus have no effect. */
async function namesOf(db: Db, ids: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> {
  if (ids.size === 0) return new Map()
  const rows = await db
    .select({
      id: menus.id,
      name: menus.name,
      type: menus.type,
      parent: sql<string | null>`(select p.name from menus p where p.id = menus.parent_id)`,
    })
    .from(menus)
    .where(and(inArray(menus.id, [...ids]), notDeleted(menus), eq(menus.status, 1)))
    .orderBy(menus.parentId, menus.sort, menus.id)
  return new Map(rows.map(({ id, name, parent }) => [id, parent ? `${parent} / ${name}` : name]))
}

interface Delta {
  gains: number[]
  loses: number[]
}
interface Counted extends Delta {
  gainCount: number
  loseCount: number
}
interface Affected {
  tenants: (Counted & { id: number; name: string })[]
  tenantCount: number
  roles: (Counted & { id: number; roleName: string; tenantName: string; accounts: number })[]
  roleCount: number
  accountsGaining: number
  accountsLosing: number
}
const NOBODY: Affected = { tenants: [], tenantCount: 0, roles: [], roleCount: 0, accountsGaining: 0, accountsLosing: 0 }

const counted = sql`count(distinct d.menu_id) filter (where d.gain)::int as "gainCount",
  count(distinct d.menu_id) filter (where not d.gain)::int as "loseCount",
  coalesce((array_agg(distinct d.menu_id) filter (where d.gain))[1:${sql.raw(String(MAX_NAMES))}], '{}') as gains,
  coalesce((array_agg(distinct d.menu_id) filter (where not d.gain))[1:${sql.raw(String(MAX_NAMES))}], '{}') as loses,
  count(*) over ()::int as total`

async function affectedBy(db: Db, user: User, sceneId: number, diff: Delta): Promise<Affected> {
  const changed = changedMenus(user, sceneId, diff)
  const tenants = await db.execute<Affected['tenants'][number] & { total: number } & Record<string, unknown>>(sql`
    with d as (${changed}) select t.id, t.name, ${counted} from d join tenants t on t.id = d.tenant_id
    group by t.id order by "loseCount" desc, t.id limit ${MAX_TENANTS}`)
  const roles = await db.execute<Affected['roles'][number] & { total: number } & Record<string, unknown>>(sql`
    with d as (${changed})
    select r.id, r.role_name as "roleName", t.name as "tenantName", ${counted},
      (select count(*)::int from account_roles ar join accounts a on a.uid = ar.uid and a.tenant_id = r.tenant_id
        where ar.role_id = r.id and a.deleted_at is null and a.status = 1) as accounts
    from d join tenants t on t.id = d.tenant_id
      join roles r on r.tenant_id = d.tenant_id and r.status = 1 and r.deleted_at is null
      join role_menus rm on rm.role_id = r.id and rm.menu_id = d.menu_id
    group by r.id, t.id order by "loseCount" desc, accounts desc, r.id limit ${MAX_ROLES}`)
  const people = await db.execute<{ gaining: number; losing: number }>(sql`
    with d as (${changed})
    select count(distinct a.uid) filter (where d.gain)::int as gaining,
      count(distinct a.uid) filter (where not d.gain)::int as losing
    from d join roles r on r.tenant_id = d.tenant_id and r.status = 1 and r.deleted_at is null
      join role_menus rm on rm.role_id = r.id and rm.menu_id = d.menu_id
      join account_roles ar on ar.role_id = r.id
      join accounts a on a.uid = ar.uid and a.tenant_id = r.tenant_id and a.deleted_at is null and a.status = 1`)
  return {
    tenants: tenants.rows,
    tenantCount: tenants.rows[0]?.total ?? 0,
    roles: roles.rows,
    roleCount: roles.rows[0]?.total ?? 0,
    accountsGaining: people.rows[0]?.gaining ?? 0,
    accountsLosing: people.rows[0]?.losing ?? 0,
  }
}

/**
 * Selects, for each visible tenant with the scene, the menus that change: those that no other scene of the tenant
 * offers.
 */
const changedMenus = ({ scope }: User, sceneId: number, { gains, loses }: Delta) => sql`
  select ts.tenant_id, m.id as menu_id, c.gain
  from tenant_scenes ts
    join tenants own on own.id = ts.tenant_id and own.deleted_at is null
    cross join (select unnest(${ints(gains)}) as menu_id, true as gain
      union all select unnest(${ints(loses)}), false) as c
    join menus m on m.id = c.menu_id and m.status = 1 and m.deleted_at is null
  where ts.scene_id = ${sceneId} and ${scope.tenants === 'all' ? sql`true` : sql`own.id = any(${sql.param([...scope.tenants])}::int[])`}
    and not exists (
    select from tenant_scenes o join scenes s on s.id = o.scene_id and s.status = 1 and s.deleted_at is null
      join scene_menus sm on sm.scene_id = s.id
    where o.tenant_id = ts.tenant_id and s.id <> ${sceneId} and sm.menu_id = c.menu_id)`

const ints = (ids: readonly number[]) => sql`${`{${ids.join(',')}}`}::int[]`
