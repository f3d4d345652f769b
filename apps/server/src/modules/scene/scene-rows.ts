import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { scene } from '@oms/contract/scene.ts'
import { and, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { menus } from '#db/schema/system.ts'
import { sceneMenus, scenes } from '#db/schema/tenant.ts'
import type { Ctx } from '#kernel/context.ts'
import { rightsChanged } from '#kernel/perm-version.ts'
import { notFound } from '#kernel/problem.ts'
import { contains, within } from '#kernel/query.ts'
import { alive } from '#kernel/tenancy.ts'
import { forDeviceType, forIndustry, withRecommendations } from './scene-recommendations.ts'

export type Scene = typeof scenes.$inferSelect
type Filter = Omit<ParsedOf<typeof scene.list>, 'pageNum' | 'pageSize' | 'orderByColumn' | 'isAsc'>

export const matching = ({ sceneName, sceneCode, status, industryId, deviceTypeId, beginTime, endTime }: Filter) =>
  and(
    alive(scenes),
    contains(scenes.sceneName, sceneName),
    contains(scenes.sceneCode, sceneCode),
    status === undefined ? undefined : eq(scenes.status, status),
    forIndustry(industryId),
    forDeviceType(deviceTypeId),
    ...within(scenes.createTime, beginTime, endTime),
  )

// Written with the table's name: in a query on one table alone, a column would be taken for the inner table's.
const tenantCount = sql<number>`(select count(*)::int from tenant_scenes ts join tenants t on t.id = ts.tenant_id
  where ts.scene_id = scenes.id and t.deleted_at is null)`
const menuCount = sql<number>`(select count(*)::int from scene_menus sm join menus m on m.id = sm.menu_id
  where sm.scene_id = scenes.id and m.deleted_at is null)`

export const shownScenes = (db: Db) =>
  db
    .select({ ...getTableColumns(scenes), tenantCount, menuCount })
    .from(scenes)
    .$dynamic()

export async function readScene(db: Db, id: number) {
  const [found] = await withRecommendations(db, await shownScenes(db).where(and(eq(scenes.id, id), alive(scenes))))
  if (!found) throw notFound('业务场景')
  return found
}

/** The scene a change is about, locked until the change is done. */
export async function lockScene(db: Db, id: number): Promise<Scene> {
  const [found] = await db
    .select()
    .from(scenes)
    .where(and(eq(scenes.id, id), alive(scenes)))
    .for('update')
  if (!found) throw notFound('业务场景')
  return found
}

/** Pages and buttons of a scene. */
export async function menusOf(db: Db, id: number): Promise<ReadonlySet<number>> {
  const rows = await db
    .select({ menuId: sceneMenus.menuId })
    .from(sceneMenus)
    .innerJoin(menus, eq(menus.id, sceneMenus.menuId))
    .where(and(eq(sceneMenus.sceneId, id), alive(menus)))
  return new Set(rows.map(({ menuId }) => menuId))
}

/** Rights follow from scenes as they are: telling every process to read them anew is all it takes. */
export async function announce({ kernel, db }: Ctx) {
  await rightsChanged(kernel, db)
  await kernel.events.publish(db, 'changed', { resource: 'sys', tenantId: null })
}
