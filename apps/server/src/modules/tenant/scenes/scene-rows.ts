import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { scene } from '@oms/contract/tenant/scene.ts'
import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { menus } from '#core/schema/system.ts'
import { sceneMenus, scenes } from '#core/schema/tenant.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import { notFound } from '#core/http/api-error.ts'
import { contains, within } from '#core/database/lists/list-query.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

type Filter = Omit<ParsedOf<typeof scene.list>, 'pageNum' | 'pageSize' | 'orderByColumn' | 'isAsc'>

export const buildSceneFilter = ({ sceneName, sceneCode, status, beginTime, endTime }: Filter) =>
  and(
    notDeleted(scenes),
    contains(scenes.sceneName, sceneName),
    contains(scenes.sceneCode, sceneCode),
    status === undefined ? undefined : eq(scenes.status, status),
    ...within(scenes.createTime, beginTime, endTime),
  )

// Raw SQL with the table name, because drizzle omits the name in a query on one table.
const tenantCount = (user?: User) => sql<number>`(select count(*)::int from tenant_scenes ts
  join tenants t on t.id = ts.tenant_id where ts.scene_id = scenes.id and t.deleted_at is null and ${inScope(user)})`
const inScope = (user?: User) =>
  !user || user.scope.tenants === 'all' ? sql`true` : sql`t.id = any(${sql.param([...user.scope.tenants])}::int[])`
const menuCount = sql<number>`(select count(*)::int from scene_menus sm join menus m on m.id = sm.menu_id
  where sm.scene_id = scenes.id and m.deleted_at is null and m.type <> 'M')`

/** Selects scenes with the number of tenants that use them: all, or those in the data scope of `user`. */
export const selectScenes = (db: Db, user?: User) =>
  db
    .select({ ...getTableColumns(scenes), tenantCount: tenantCount(user), menuCount })
    .from(scenes)
    .$dynamic()

export async function readScene(db: Db, id: number, user?: User) {
  const [found] = await selectScenes(db, user).where(and(eq(scenes.id, id), notDeleted(scenes)))
  if (!found) throw notFound('业务场景')
  return found
}

/** Returns the ids of the pages and buttons of a scene. */
export async function readSceneMenuIds(db: Db, id: number): Promise<ReadonlySet<number>> {
  const rows = await db
    .select({ menuId: sceneMenus.menuId })
    .from(sceneMenus)
    .innerJoin(menus, eq(menus.id, sceneMenus.menuId))
    .where(and(eq(sceneMenus.sceneId, id), notDeleted(menus)))
  return new Set(rows.map(({ menuId }) => menuId))
}

/** Notifies every process to reload the permissions, which depend on the scenes. */
export const publishSceneRights = ({ services, db }: Ctx) => publishRightsChanged(services, db)

/** Notifies every process to reload the permissions, and reloads open lists of scenes. */
export async function publishSceneChanged(ctx: Ctx) {
  await publishSceneRights(ctx)
  const { services, db } = ctx
  await services.events.publish(db, 'changed', { resource: 'sys', tenantId: null })
}
