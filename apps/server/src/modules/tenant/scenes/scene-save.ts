import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { scene } from '@oms/contract/tenant/scene.ts'
import { and, eq, inArray } from 'drizzle-orm'
import { assertMayGrant, assertPlatform, listLeafMenuIds } from '#core/auth/grants.ts'
import { checkRevision } from '#core/database/optimistic-lock.ts'
import { defineRecord } from '#core/database/record.ts'
import { invalid, notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { changePicture } from '#core/storage/picture.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { readTenantNames } from '#core/tenancy/tenant-state.ts'
import { menus } from '#core/schema/system.ts'
import { sceneMenus, scenes, tenantScenes } from '#core/schema/tenant.ts'
import { publishSceneChanged, publishSceneRights, readSceneMenuIds } from './scene-rows.ts'

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
