import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { scene } from '@oms/contract/scene.ts'
import { and, asc, eq, exists, ne, not, sql } from 'drizzle-orm'
import { scenes, tenantScenes, tenants } from '#db/schema/tenant.ts'
import type { Ctx } from '#kernel/context.ts'
import { assertPlatform, permTreeOf } from '#kernel/grants.ts'
import { contains, orderOf, paginate } from '#kernel/query.ts'
import { alive, PLATFORM_TENANT_ID, scoped } from '#kernel/tenancy.ts'
import { matching, menusOf, readScene, shownScenes } from './scene-rows.ts'

export function list(
  { db, user }: Ctx,
  { pageNum, pageSize, orderByColumn, isAsc, ...filter }: ParsedOf<typeof scene.list>,
) {
  assertPlatform(user)
  const columns = { sort: scenes.sort, createTime: scenes.createTime }
  const order = orderOf({ orderByColumn, isAsc }, columns, scenes.id, [asc(scenes.sort), asc(scenes.id)])
  return paginate(db, shownScenes(db).where(matching(filter)), { pageNum, pageSize }, order)
}

export async function get({ db, user }: Ctx, { id }: ParsedOf<typeof scene.get>) {
  assertPlatform(user)
  return { ...(await readScene(db, id)), menuIds: [...(await menusOf(db, id))] }
}

export async function permTree({ db, user }: Ctx) {
  assertPlatform(user)
  return { menus: await permTreeOf(db, user, PLATFORM_TENANT_ID) }
}

/** Customers, each with whether it uses the scene. The platform itself is bound by no scene. */
export async function sceneTenants({ db, user }: Ctx, { id, name, inScene, ...page }: ParsedOf<typeof scene.tenants>) {
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
        alive(tenants),
        ne(tenants.id, PLATFORM_TENANT_ID),
        scoped(user, { tenant: tenants.id }),
        contains(tenants.name, name),
        inScene === undefined ? undefined : inScene === 1 ? uses : not(uses),
      ),
    )
    .$dynamic()
  return paginate(db, rows, page, [asc(tenants.id)])
}
