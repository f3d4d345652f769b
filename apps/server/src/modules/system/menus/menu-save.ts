import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { ACTION_NAMES } from '@oms/contract/core/permissions.ts'
import { MenuFields, type menu } from '@oms/contract/system/menu.ts'
import { and, countDistinct, eq, inArray, ne } from 'drizzle-orm'
import type * as z from 'zod'
import { roleMenus, roles } from '#core/schema/account.ts'
import { menus } from '#core/schema/system.ts'
import { sceneMenus, scenes } from '#core/schema/tenant.ts'
import type { Ctx } from '#core/http/context.ts'
import { assertPlatform } from '#core/auth/grants.ts'
import { lockMenus } from '#core/auth/menus.ts'
import { listChanges } from '#core/audit/mask.ts'
import { withReferencedNames } from '#core/audit/referenced-names.ts'
import type { Db } from '#core/database/client.ts'
import { conflict, invalid, refused } from '#core/http/api-error.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { assertMenuPosition, type Menu, readMenu, readMenus, publishMenuChange } from './menu-rows.ts'

type Input = z.output<typeof MenuFields>

const TITLES = Object.fromEntries(
  Object.entries(MenuFields.shape).map(([field, schema]) => [field, String(schema.meta()?.title ?? field)]),
)
const CLASHES = { menus_url: ['访问地址已存在', 'url'], menus_perms: ['权限标识已存在', 'perms'] } as const
/** Fields of a built-in menu that cannot be changed, because the program identifies the menu by them. */
const FIXED = { url: '访问地址', perms: '权限标识', activeMenu: '高亮菜单', isFrame: '打开方式' } as const
/** Temporary id of a new menu during validation, because 0 is the root of the tree. */
const NOT_YET = -1
const STANDARD_BUTTONS = ['query', 'add', 'edit', 'remove', 'import', 'export'] as const

const listNamedChanges = (db: Db, before: object, after: object) =>
  withReferencedNames(db, listChanges(before, after, TITLES), { before, after }, { parentId: menus })

export async function createMenu(ctx: Ctx, input: ParsedOf<typeof menu.create>) {
  const { db, user } = ctx
  assertPlatform(user)
  await lockMenus(db)
  const fields = tidy(input)
  const byId = new Map((await readMenus(db)).map((row) => [row.id, row]))
  assertMenuPosition(byId, { ...fields, id: NOT_YET })
  await assertDirectoryUrl(ctx, fields, 0)
  const [created] = await db
    .insert(menus)
    .values({ ...fields, createBy: user.uid, updateBy: user.uid })
    .returning({ id: menus.id })
    .catch(rethrowClash)
  ctx.audit({
    bizType: 'menu',
    bizId: created!.id,
    action: `新增菜单「${fields.name}」`,
    diff: await listNamedChanges(db, {}, fields),
  })
  await publishMenuChange(ctx)
  return created!
}

export async function updateMenu(ctx: Ctx, { id, rev, ...input }: ParsedOf<typeof menu.update>) {
  const { db, user, now } = ctx
  assertPlatform(user)
  await lockMenus(db)
  const stored = await readMenu(db, id)
  await checkRevision(db, stored, rev)
  if (input.type !== stored.type) throw invalid('菜单类型不能修改', 'type')
  const fields = tidy(input)
  if (stored.isBuiltin === 1) assertFixed(stored, fields)
  const byId = new Map((await readMenus(db)).map((row) => [row.id, row]))
  byId.set(id, { ...stored, ...fields })
  assertMenuPosition(byId, { ...fields, id })
  await assertDirectoryUrl(ctx, fields, id)
  const diff = await listNamedChanges(db, { ...stored, status: stored.status === 0 ? 0 : 1 }, fields)
  if (diff.length === 0) return { rev: stored.rev }
  const [saved] = await db
    .update(menus)
    .set({ ...fields, ...updateColumns(stored, user.uid, now) })
    .where(eq(menus.id, id))
    .returning({ rev: menus.rev })
    .catch(rethrowClash)
  ctx.audit({ bizType: 'menu', bizId: id, action: `修改菜单「${stored.name}」`, diff })
  await publishMenuChange(ctx)
  return saved!
}

export async function removeMenu(ctx: Ctx, { id }: ParsedOf<typeof menu.remove>) {
  const { db, user, now } = ctx
  assertPlatform(user)
  await lockMenus(db)
  const stored = await readMenu(db, id)
  if (stored.isBuiltin === 1) throw refused('内置菜单不能删除，可以停用或隐藏')
  await assertUnused(ctx, id)
  await db
    .update(menus)
    .set({ deletedAt: now.toISOString(), ...updateColumns(stored, user.uid, now) })
    .where(eq(menus.id, id))
  ctx.audit({ bizType: 'menu', bizId: id, action: `删除菜单「${stored.name}」` })
  await publishMenuChange(ctx)
  return null
}

/** Creates the usual buttons that a page lacks, named after the page's permission `…:list`. */
export async function createStandardButtons(ctx: Ctx, { id }: ParsedOf<typeof menu.buttons>) {
  const { db, user } = ctx
  assertPlatform(user)
  await lockMenus(db)
  const page = await readMenu(db, id)
  const prefix = /^(.+):list$/.exec(page.perms)?.[1]
  if (page.type !== 'C' || !prefix) throw invalid('只能为权限标识以 :list 结尾的页面生成按钮')
  const perms = STANDARD_BUTTONS.map((action) => `${prefix}:${action}`)
  const existing = await db
    .select({ perms: menus.perms })
    .from(menus)
    .where(and(inArray(menus.perms, perms), notDeleted(menus)))
  const taken = new Set(existing.map((row) => row.perms))
  const missing = STANDARD_BUTTONS.flatMap((action, place) => {
    const permission = `${prefix}:${action}`
    const row = { parentId: id, type: 'F', name: ACTION_NAMES[action], perms: permission, sort: (place + 1) * 10 }
    return taken.has(permission) ? [] : [{ ...row, createBy: user.uid, updateBy: user.uid }]
  })
  if (missing.length) {
    await db.insert(menus).values(missing)
    await publishMenuChange(ctx)
  }
  const names = missing.map(({ name }) => name).join('、')
  ctx.audit({
    bizType: 'menu',
    bizId: id,
    action: names ? `为页面「${page.name}」生成按钮：${names}` : `页面「${page.name}」的标准按钮已齐全`,
  })
  return { added: missing.length }
}

/** Clears the fields that a menu of this type does not have. */
function tidy(input: Input): Input {
  if (input.type === 'C') return input
  const plain = { isFrame: 0 as const, query: '', activeMenu: '', routeName: '', affix: 0 as const, perms: input.perms }
  return input.type === 'M' ? { ...input, ...plain, perms: '' } : { ...input, ...plain, url: '', icon: '', visible: 1 }
}

function assertFixed(stored: Menu, fields: Input) {
  for (const [field, title] of Object.entries(FIXED) as [keyof typeof FIXED, string][])
    if (stored[field] !== fields[field]) throw invalid(`内置菜单的${title}不能修改`, field)
}

/** Throws for a second directory with the same path. The database's unique index covers only pages. */
async function assertDirectoryUrl({ db }: Ctx, { type, url }: Input, id: number) {
  if (type !== 'M') return
  const [other] = await db
    .select({ id: menus.id })
    .from(menus)
    .where(and(eq(menus.type, 'M'), eq(menus.url, url), ne(menus.id, id), notDeleted(menus)))
    .limit(1)
  if (other) throw conflict('访问地址已存在', 'url')
}

async function assertUnused({ db }: Ctx, id: number) {
  const children = await db.$count(menus, and(eq(menus.parentId, id), notDeleted(menus)))
  if (children) throw conflict(`还有${children}个下级菜单，请先删除下级菜单`)
  const [byRoles] = await db
    .select({ n: countDistinct(roles.id) })
    .from(roleMenus)
    .innerJoin(roles, eq(roles.id, roleMenus.roleId))
    .where(and(eq(roleMenus.menuId, id), notDeleted(roles)))
  if (byRoles?.n) throw conflict(`有${byRoles.n}个角色正在使用该菜单，请先取消授权`)
  const [byScenes] = await db
    .select({ n: countDistinct(scenes.id) })
    .from(sceneMenus)
    .innerJoin(scenes, eq(scenes.id, sceneMenus.sceneId))
    .where(and(eq(sceneMenus.menuId, id), notDeleted(scenes)))
  if (byScenes?.n) throw conflict(`有${byScenes.n}个业务场景正在使用该菜单，请先从场景中移除`)
}

function rethrowClash(error: unknown): never {
  throw toUniqueViolation(error, CLASHES) ?? error
}
