import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { scene } from '@oms/contract/tenant/scene.ts'
import { and, eq, getTableColumns, sql, asc, exists, ne, not, inArray } from 'drizzle-orm'
import { assertPlatform, buildPermissionTree, assertMayGrant, listLeafMenuIds } from '#core/auth/grants.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import type { Db } from '#core/database/client.ts'
import { contains, within, buildSort, paginate } from '#core/database/lists/list-query.ts'
import { checkRevision } from '#core/database/optimistic-lock.ts'
import { defineRecord } from '#core/database/record.ts'
import { notFound, invalid } from '#core/http/api-error.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { menus } from '#core/schema/system.ts'
import { sceneMenus, scenes, tenantScenes, tenants } from '#core/schema/tenant.ts'
import { changePicture } from '#core/storage/picture.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { readTenantNames } from '#core/tenancy/tenant-state.ts'

type Filter = Omit<ParsedOf<typeof scene.list>, 'pageNum' | 'pageSize' | 'orderByColumn' | 'isAsc'>

const buildSceneFilter = ({ sceneName, sceneCode, status, beginTime, endTime }: Filter) =>
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
const selectScenes = (db: Db, user?: User) =>
  db
    .select({ ...getTableColumns(scenes), tenantCount: tenantCount(user), menuCount })
    .from(scenes)
    .$dynamic()

async function readScene(db: Db, id: number, user?: User) {
  const [found] = await selectScenes(db, user).where(and(eq(scenes.id, id), notDeleted(scenes)))
  if (!found) throw notFound('业务场景')
  return found
}

/** Returns the ids of the pages and buttons of a scene. */
async function readSceneMenuIds(db: Db, id: number): Promise<ReadonlySet<number>> {
  const rows = await db
    .select({ menuId: sceneMenus.menuId })
    .from(sceneMenus)
    .innerJoin(menus, eq(menus.id, sceneMenus.menuId))
    .where(and(eq(sceneMenus.sceneId, id), notDeleted(menus)))
  return new Set(rows.map(({ menuId }) => menuId))
}

/** Notifies every process to reload the permissions, which depend on the scenes. */
const publishSceneRights = ({ services, db }: Ctx) => publishRightsChanged(services, db)

/** Notifies every process to reload the permissions, and reloads open lists of scenes. */
async function publishSceneChanged(ctx: Ctx) {
  await publishSceneRights(ctx)
  const { services, db } = ctx
  await services.events.publish(db, 'changed', { resource: 'sys', tenantId: null })
}

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

const COVER = { field: 'cover', title: '封面' } as const
const record = defineRecord({
  table: scenes,
  calls: scene,
  kind: 'scene',
  noun: '业务场景',
  nameOf: ({ sceneName }) => sceneName,
  heldText: (held) => `还有${held}使用该场景，请先移除客户再删除`,
  onRemove: (ctx, { cover }) => changePicture(ctx, { ...COVER, before: cover, after: '' }),
})

export async function createScene(ctx: Ctx, { menuIds, ...input }: ParsedOf<typeof scene.create>) {
  const { db, user } = ctx
  assertPlatform(user)
  const wanted = await listLeafMenuIds(db, menuIds)
  await assertMayGrant(ctx, { menuIds: wanted })
  await changePicture(ctx, { ...COVER, before: '', after: input.cover })
  const { id } = await record.insert(ctx, input)
  if (wanted.length) await db.insert(sceneMenus).values(wanted.map((menuId) => ({ sceneId: id, menuId })))
  ctx.audit({ action: `新增业务场景「${input.sceneName}」，含${wanted.length}项权限` })
  await publishSceneRights(ctx)
  return { id }
}

export async function updateScene(ctx: Ctx, { id, rev, menuIds, ...input }: ParsedOf<typeof scene.update>) {
  const { db, user } = ctx
  assertPlatform(user)
  const stored = await record.lock(ctx, id)
  await assertHoldsScene(ctx, id)
  await checkRevision(db, stored, rev)
  const menusDiff = await replaceMenus(ctx, id, menuIds)
  await changePicture(ctx, { ...COVER, before: stored.cover, after: input.cover })
  const saved = await record.save(ctx, stored, rev, input, menusDiff)
  if (saved.rev !== stored.rev) await publishSceneRights(ctx)
  return saved
}

/** Replaces the scene's menus and returns the added and removed names. */
async function replaceMenus(ctx: Ctx, sceneId: number, menuIds: readonly number[]) {
  const { db } = ctx
  const before = await readSceneMenuIds(db, sceneId)
  const next = new Set(await listLeafMenuIds(db, menuIds))
  const added = [...next].filter((id) => !before.has(id))
  const removed = [...before].filter((id) => !next.has(id))
  if (added.length + removed.length === 0) return []
  await assertMayGrant(ctx, { menuIds: added })
  if (removed.length)
    await db.delete(sceneMenus).where(and(eq(sceneMenus.sceneId, sceneId), inArray(sceneMenus.menuId, removed)))
  if (added.length) await db.insert(sceneMenus).values(added.map((menuId) => ({ sceneId, menuId })))
  const rows = await db
    .select({ id: menus.id, name: menus.name, perms: menus.perms })
    .from(menus)
    .where(inArray(menus.id, [...added, ...removed]))
  const named = (ids: readonly number[]) =>
    rows.flatMap(({ id, name, perms }) => (ids.includes(id) ? [perms ? `${name}（${perms}）` : name] : []))
  return [{ field: 'menuIds', title: '菜单权限', from: named(removed), to: named(added) }]
}

/** Refuses accounts that lack a permission of the scene. */
const assertHoldsScene = async (ctx: Ctx, id: number) =>
  assertMayGrant(ctx, { menuIds: [...(await readSceneMenuIds(ctx.db, id))] })

/** Adds the check that the account holds every permission of the scene. */
const ofGrantable = (work: typeof record.remove) => async (ctx: Ctx, input: { id: number }) => {
  assertPlatform(ctx.user)
  await record.lock(ctx, input.id)
  await assertHoldsScene(ctx, input.id)
  const done = await work(ctx, input)
  await publishSceneRights(ctx)
  return done
}
export const removeScene = ofGrantable(record.remove)
export const enableScene = ofGrantable(record.enable)
export const disableScene = ofGrantable(record.disable)

/** Adds and removes tenants of the scene. Both lists may be absent. */
export async function syncSceneTenants(ctx: Ctx, { id, tenantIds = [], removeIds = [] }: ParsedOf<typeof scene.sync>) {
  const { db, user } = ctx
  assertPlatform(user)
  const stored = await record.lock(ctx, id)
  if (tenantIds.some((each) => removeIds.includes(each))) throw invalid('同一客户不能既添加又移除', 'removeIds')
  const names = await customersOf(ctx, [...tenantIds, ...removeIds])
  if (names.size) await assertHoldsScene(ctx, id)
  const given = tenantIds.length
    ? await db
        .insert(tenantScenes)
        .values([...new Set(tenantIds)].map((tenantId) => ({ tenantId, sceneId: id })))
        .onConflictDoNothing()
        .returning({ tenantId: tenantScenes.tenantId })
    : []
  const taken = removeIds.length
    ? await db
        .delete(tenantScenes)
        .where(and(eq(tenantScenes.sceneId, id), inArray(tenantScenes.tenantId, removeIds)))
        .returning({ tenantId: tenantScenes.tenantId })
    : []
  const named = (rows: { tenantId: number }[]) => rows.map(({ tenantId }) => names.get(tenantId) ?? '')
  ctx.audit({
    bizType: 'scene',
    bizId: id,
    action: `同步业务场景「${stored.sceneName}」：新增${given.length}个客户，移除${taken.length}个客户`,
    diff:
      given.length + taken.length
        ? [{ field: 'tenants', title: '使用客户', from: named(taken), to: named(given) }]
        : [],
  })
  await publishSceneChanged(ctx)
  return { given: given.length, taken: taken.length }
}

/** Returns the names of the tenants. Throws for unknown and invisible tenants and for the platform. */
async function customersOf({ db, user }: Ctx, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const wanted = new Set(ids)
  if (wanted.size === 0) return new Map()
  if (wanted.has(PLATFORM_TENANT_ID)) throw invalid('平台不受业务场景限制，不需要分配场景', 'tenantIds')
  const found = await readTenantNames(db, user, [...wanted])
  if (found.length < wanted.size) throw notFound('客户')
  return new Map(found.map(({ id, name }) => [id, name]))
}
