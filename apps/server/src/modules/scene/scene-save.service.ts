import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { SCENE_DEFAULT, SCENE_STATUS, SceneInput, type scene } from '@oms/contract/scene/scene.ts'
import { and, eq, inArray } from 'drizzle-orm'
import { menus } from '#schema/system.ts'
import { sceneMenus, scenes, tenantScenes, tenants } from '#schema/tenant.ts'
import type { Ctx } from '#core/http/context.ts'
import { assertMayGrant, assertPlatform, pickLeafMenus } from '#core/auth/grants.ts'
import { changePicture } from '#core/storage/picture.ts'
import { listChanges } from '#core/audit/mask.ts'
import { conflict, invalid, notFound } from '#core/http/api-error.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { notDeleted, PLATFORM_TENANT_ID, scoped } from '#core/tenancy/tenancy.ts'
import { toUniqueViolation } from '#core/database/unique-violation.ts'
import { assertRecommendationsExist, type SceneRecommendations, setRecommendations } from './scene-recommendations.ts'
import { publishSceneChanged, lockScene, readSceneMenuIds, readScene, type Scene } from './scene-rows.ts'

const { menuIds: _menuIds, industryIds: _industryIds, deviceTypeIds: _typeIds, ...PLAIN } = SceneInput.shape
const TITLES = Object.fromEntries(
  Object.entries(PLAIN).map(([field, schema]) => [field, String(schema.meta()?.title ?? field)]),
)
const COVER = { field: 'cover', title: '封面' } as const
const CLASHES = { scenes_name: ['场景名称已存在', 'sceneName'], scenes_code: ['场景编码已存在', 'sceneCode'] } as const

export async function createScene(ctx: Ctx, { menuIds, ...sent }: ParsedOf<typeof scene.create>) {
  const { db, user } = ctx
  assertPlatform(user)
  const wanted = await pickLeafMenus(db, menuIds)
  await assertMayGrant(ctx, { menuIds: wanted })
  const [input, recommended] = apart(sent)
  const recommendedDiff = await assertRecommendationsExist(db, recommended)
  await changePicture(ctx, { ...COVER, before: '', after: input.cover })
  const [created] = await db
    .insert(scenes)
    .values({ ...input, createBy: user.uid, updateBy: user.uid })
    .returning({ id: scenes.id })
    .catch(rethrowClash)
  const { id } = created!
  if (wanted.length) await db.insert(sceneMenus).values(wanted.map((menuId) => ({ sceneId: id, menuId })))
  await setRecommendations(db, id, recommended)
  ctx.audit({
    bizType: 'scene',
    bizId: id,
    action: `新增业务场景「${input.sceneName}」，含${wanted.length}项权限`,
    diff: [...listChanges({}, auditFields(input), TITLES), ...recommendedDiff],
  })
  await publishSceneChanged(ctx)
  return { id }
}

export async function updateScene(ctx: Ctx, { id, rev, menuIds, ...sent }: ParsedOf<typeof scene.update>) {
  const { db, user, now } = ctx
  assertPlatform(user)
  const [input, recommended] = apart(sent)
  const recommendedDiff = await assertRecommendationsExist(db, recommended, id)
  const stored = await lockScene(db, id)
  await checkRevision(db, stored, rev)
  const menusDiff = await replaceMenus(ctx, id, menuIds)
  const diff = [...listChanges(auditFields(stored), auditFields(input), TITLES), ...recommendedDiff, ...menusDiff]
  if (diff.length === 0) return { rev: stored.rev }
  await changePicture(ctx, { ...COVER, before: stored.cover, after: input.cover })
  await setRecommendations(db, id, recommended)
  const [saved] = await db
    .update(scenes)
    .set({ ...input, ...updateColumns(stored, user.uid, now) })
    .where(eq(scenes.id, id))
    .returning({ rev: scenes.rev })
    .catch(rethrowClash)
  ctx.audit({ bizType: 'scene', bizId: id, action: `修改业务场景「${stored.sceneName}」`, diff })
  await publishSceneChanged(ctx)
  return saved!
}

/** Separates the scene's own columns from its recommendations. */
function apart<Sent extends SceneRecommendations>({ industryIds, deviceTypeIds, ...input }: Sent) {
  return [input, { industryIds, deviceTypeIds }] as const
}

/** Replaces the scene's menus and returns the added and removed names. */
async function replaceMenus(ctx: Ctx, sceneId: number, menuIds: readonly number[]) {
  const { db } = ctx
  const before = await readSceneMenuIds(db, sceneId)
  const next = new Set(await pickLeafMenus(db, menuIds))
  const added = [...next].filter((id) => !before.has(id))
  const removed = [...before].filter((id) => !next.has(id))
  if (added.length + removed.length === 0) return []
  await assertMayGrant(ctx, { menuIds: [...added, ...removed] })
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

export async function removeScene(ctx: Ctx, { id }: ParsedOf<typeof scene.remove>) {
  const { db, user, now } = ctx
  assertPlatform(user)
  const stored = await lockScene(db, id)
  await assertMayGrant(ctx, { menuIds: [...(await readSceneMenuIds(db, id))] })
  const { tenantCount } = await readScene(db, id)
  if (tenantCount) throw conflict(`还有${tenantCount}个客户使用该场景，请先移除客户再删除`)
  await changePicture(ctx, { ...COVER, before: stored.cover, after: '' })
  await db
    .update(scenes)
    .set({ deletedAt: now.toISOString(), ...updateColumns(stored, user.uid, now) })
    .where(eq(scenes.id, id))
  ctx.audit({ bizType: 'scene', bizId: id, action: `删除业务场景「${stored.sceneName}」` })
  await publishSceneChanged(ctx)
  return null
}

export const enableScene = (ctx: Ctx, { id }: ParsedOf<typeof scene.enable>) => setStatus(ctx, id, 1)
export const disableScene = (ctx: Ctx, { id }: ParsedOf<typeof scene.disable>) => setStatus(ctx, id, 0)

async function setStatus(ctx: Ctx, id: number, status: 0 | 1) {
  const { db, user, now } = ctx
  assertPlatform(user)
  const stored = await lockScene(db, id)
  await assertMayGrant(ctx, { menuIds: [...(await readSceneMenuIds(db, id))] })
  ctx.audit({ bizType: 'scene', bizId: id, action: `${SCENE_STATUS[status]}业务场景「${stored.sceneName}」` })
  if (stored.status === status) return null
  await db
    .update(scenes)
    .set({ status, ...updateColumns(stored, user.uid, now) })
    .where(eq(scenes.id, id))
  const was = SCENE_STATUS[stored.status as 0 | 1]
  ctx.audit({ diff: [{ field: 'status', title: '状态', from: was, to: SCENE_STATUS[status] }] })
  await publishSceneChanged(ctx)
  return null
}

/** Adds and removes tenants of the scene. Both lists may be absent. */
export async function syncSceneTenants(ctx: Ctx, { id, tenantIds = [], removeIds = [] }: ParsedOf<typeof scene.sync>) {
  const { db, user } = ctx
  assertPlatform(user)
  const stored = await lockScene(db, id)
  if (tenantIds.some((each) => removeIds.includes(each))) throw invalid('同一客户不能既添加又移除', 'removeIds')
  const names = await customersOf(ctx, [...tenantIds, ...removeIds])
  if (names.size) await assertMayGrant(ctx, { menuIds: [...(await readSceneMenuIds(db, id))] })
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
  const found = await db
    .select({ id: tenants.id, name: tenants.name })
    .from(tenants)
    .where(and(inArray(tenants.id, [...wanted]), notDeleted(tenants), scoped(user, { tenant: tenants.id })))
  if (found.length < wanted.size) throw notFound('客户')
  return new Map(found.map(({ id, name }) => [id, name]))
}

const auditFields = (fields: Partial<Scene>) => ({
  ...fields,
  ...(fields.isDefault !== undefined && { isDefault: SCENE_DEFAULT[fields.isDefault as 0 | 1] }),
})

function rethrowClash(error: unknown): never {
  throw toUniqueViolation(error, CLASHES) ?? error
}
