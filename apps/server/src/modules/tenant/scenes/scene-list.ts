import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { scene } from '@oms/contract/tenant/scene.ts'
import { and, asc, eq, exists, ne, not, sql } from 'drizzle-orm'
import { scenes, tenantScenes, tenants } from '#core/schema/tenant.ts'
import type { Ctx } from '#core/http/context.ts'
import { assertPlatform, buildPermissionTree } from '#core/auth/grants.ts'
import { contains, buildSort, paginate } from '#core/database/lists/list-query.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { buildSceneFilter, readSceneMenuIds, readScene, selectScenes } from './scene-rows.ts'

export async function listScenes(
  { db, user }: Ctx,
  { pageNum, pageSize, orderByColumn, isAsc, ...filter }: ParsedOf<typeof scene.list>,
) {
  assertPlatform(user)
  const columns = { sort: scenes.sort, createTime: scenes.createTime }
  const order = buildSort({ orderByColumn, isAsc }, columns, scenes.id, [asc(scenes.sort), asc(scenes.id)])
  return paginate(db, selectScenes(db, user).where(buildSceneFilter(filter)), { pageNum, pageSize }, order)
}

export async function getScene({ db, user }: Ctx, { id }: ParsedOf<typeof scene.get>) {
  assertPlatform(user)
  return { ...(await readScene(db, id, user)), menuIds: [...(await readSceneMenuIds(db, id))] }
}

export async function getScenePermissionTree({ db, user }: Ctx) {
  assertPlatform(user)
  return { menus: await buildPermissionTree(db, user, PLATFORM_TENANT_ID) }
}

/** Lists tenants and whether each uses the scene. The platform has no scenes. */
export async function listSceneTenants(
  { db, user }: Ctx,
  { id, name, inScene, ...page }: ParsedOf<typeof scene.tenants>,
) {
  assertPlatform(user)
  await readScene(db, id)
  const uses = exists(
    db
      .select({ id: tenantScenes.sceneId })
      .from(tenantScenes)
      .where(and(eq(tenantScenes.sceneId, id), eq(tenantScenes.tenantId, tenants.id))),
  )
  const rows = db
    .select({
      id: tenants.id,
      tenantNo: tenants.tenantNo,
      name: tenants.name,
      status: tenants.status,
      accountCount: sql<number>`(select count(*)::int from accounts a
        where a.tenant_id = tenants.id and a.deleted_at is null)`,
      inScene: sql<boolean>`${uses}`,
    })
    .from(tenants)
    .where(
      and(
        notDeleted(tenants),
        ne(tenants.id, PLATFORM_TENANT_ID),
        scoped(user, { tenant: tenants.id }),
        contains(tenants.name, name),
        inScene === undefined ? undefined : inScene === 1 ? uses : not(uses),
      ),
    )
    .$dynamic()
  return paginate(db, rows, page, [asc(tenants.id)])
}
