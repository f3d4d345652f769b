import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { ACTION_NAMES } from '@oms/contract/core/permissions.ts'
import {
  type MenuTreeNode,
  type menu,
  MAX_MENU_DEPTH,
  MENU_SCREEN,
  type MenuType,
  MenuFields,
} from '@oms/contract/system/menu.ts'
import { and, asc, eq, countDistinct, inArray, ne, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { listChanges } from '#core/audit/mask.ts'
import { withReferencedNames } from '#core/audit/referenced-names.ts'
import { assertPlatform } from '#core/auth/grants.ts'
import { isOpenedFromParent, updateMenuStatus, lockMenus } from '#core/auth/menus.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import type { Db } from '#core/database/client.ts'
import { toUniqueViolation } from '#core/database/error-codes.ts'
import { checkRevision, updateColumns } from '#core/database/optimistic-lock.ts'
import { invalid, notFound, refused, conflict } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { roleMenus, roles } from '#core/schema/account.ts'
import { menus } from '#core/schema/system.ts'
import { sceneMenus, scenes } from '#core/schema/tenant.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

/** Returns the menu tree. With a filter, returns the matches and their ancestors. */
export async function listMenus({ db, user }: Ctx, { name, status }: ParsedOf<typeof menu.list>) {
  assertPlatform(user)
  const rows = await readMenus(db)
  const wanted = name?.toLowerCase()
  const matches = (row: Menu) =>
    (!wanted || row.name.toLowerCase().includes(wanted)) &&
    (status === undefined || (row.status === 1) === (status === 1))
  const below = Map.groupBy(rows, ({ parentId }) => parentId)
  const branch = (parentId: number): MenuTreeNode[] =>
    (below.get(parentId) ?? []).flatMap((row) => {
      const children = branch(row.id)
      return children.length > 0 || matches(row) ? [{ ...row, type: row.type as MenuTreeNode['type'], children }] : []
    })
  return { list: branch(0) }
}

export async function getMenu({ db, user }: Ctx, { id }: ParsedOf<typeof menu.get>) {
  assertPlatform(user)
  const found = await readMenu(db, id)
  return { ...found, type: found.type as MenuTreeNode['type'] }
}

type Menu = typeof menus.$inferSelect

/** Returns all menus in sidebar order. There are a few hundred, so trees are built in memory. */
const readMenus = (db: Db): Promise<Menu[]> =>
  db.select().from(menus).where(notDeleted(menus)).orderBy(asc(menus.sort), asc(menus.id))

async function readMenu(db: Db, id: number): Promise<Menu> {
  const [found] = await db
    .select()
    .from(menus)
    .where(and(eq(menus.id, id), notDeleted(menus)))
  if (!found) throw notFound('菜单')
  return found
}

/** Fields of a menu for validating its position. */
type MenuPosition = Pick<Menu, 'id' | 'parentId' | 'type' | 'visible' | 'activeMenu' | 'perms' | 'name'>

/** Throws when the parent is missing, of the wrong type, a descendant, or too deep. */
function assertMenuPosition(byId: ReadonlyMap<number, MenuPosition>, menu: MenuPosition) {
  const problem = findMenuPositionProblem(byId, menu)
  if (problem) throw invalid(problem, 'parentId')
}

/** Returns the problem of a menu's position; undefined when valid. */
function findMenuPositionProblem(byId: ReadonlyMap<number, MenuPosition>, menu: MenuPosition): string | undefined {
  const parent = byId.get(menu.parentId)
  if (menu.parentId !== 0 && !parent) return '上级菜单不存在或已被删除'
  const above = listMenuAncestors(byId, menu)
  if (above === undefined) return `「${menu.name}」的上级不能是它自己或它的下级`
  if (above.length + heightOf(byId, menu.id) > MAX_MENU_DEPTH) return `菜单最多${MAX_MENU_DEPTH}层`
  return kindProblem(menu, parent)
}

function kindProblem({ type, visible }: MenuPosition, parent: MenuPosition | undefined) {
  const above = parent?.type as MenuType | undefined
  if (type === 'F') {
    if (above !== 'C') return '按钮的上级必须是页面'
    return parent && isOpenedFromParent(parent) ? '没有权限标识的页面下不能放按钮' : undefined
  }
  if (above === 'F') return '按钮下不能再有菜单'
  if (above !== 'C') return undefined
  if (type === 'M') return '目录的上级必须是目录'
  return visible === 0 ? undefined : '显示的页面只能放在目录下；隐藏的页面才能放在页面下'
}

/** Returns the ancestors from the parent to the root; undefined for a cycle. */
function listMenuAncestors(
  byId: ReadonlyMap<number, MenuPosition>,
  { id, parentId }: MenuPosition,
): MenuPosition[] | undefined {
  const way: MenuPosition[] = []
  for (let at = byId.get(parentId); at; at = byId.get(at.parentId)) {
    if (at.id === id || way.includes(at)) return undefined
    way.push(at)
  }
  return way
}

/** Returns the number of levels of the menu's subtree. A cycle ends the count. */
function heightOf(byId: ReadonlyMap<number, MenuPosition>, id: number, seen: readonly number[] = []): number {
  if (seen.includes(id)) return 0
  const below = [...byId.values()].filter(({ parentId }) => parentId === id)
  return 1 + Math.max(0, ...below.map((child) => heightOf(byId, child.id, [...seen, id])))
}

/**
 * Completes a change of the tree: disables descendants of disabled menus, checks that the menu page stays reachable,
 * and reloads the permissions of open sessions.
 */
async function publishMenuChange({ db, services }: Ctx) {
  await updateMenuStatus(db)
  await assertMenuScreen(db)
  await publishRightsChanged(services, db)
  await services.events.publish(db, 'changed', { resource: 'sys', tenantId: null })
}

/** Throws when the page for managing menus is hidden or disabled, because nobody could reverse the change. */
async function assertMenuScreen(db: Db) {
  const byId = new Map((await readMenus(db)).map((row) => [row.id, row]))
  const screen = [...byId.values()].find(({ type, url }) => type === 'C' && url === MENU_SCREEN)
  if (!screen) return
  const chain = [screen, ...(listMenuAncestors(byId, screen) ?? [])] as Menu[]
  if (chain.some(({ status, visible }) => status !== 1 || visible !== 1))
    throw refused(`「${screen.name}」及其上级目录不能停用或隐藏，否则将无法再修改菜单`)
}

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

const MOST_HISTORIES = 50

/** Saves the sort numbers of several menus. Saves none when one of the menus does not exist. */
export async function sortMenus(ctx: Ctx, { list }: ParsedOf<typeof menu.sort>) {
  const { db, user } = ctx
  assertPlatform(user)
  await lockMenus(db)
  const byId = new Map((await readMenus(db)).map((row) => [row.id, row]))
  const moved = [...new Map(list.map((each) => [each.id, each])).values()].filter(({ id, sort }) => {
    const stored = byId.get(id)
    if (!stored) throw notFound('菜单')
    return stored.sort !== sort
  })
  if (moved.length === 0) return { changed: 0 }
  const before = moved.map(({ id }) => byId.get(id)!)
  await db.execute(sql`
    update menus m set sort = (v ->> 'sort')::int, rev = m.rev + 1,
      update_by = ${user.uid}, update_time = now()
    from jsonb_array_elements(${JSON.stringify(moved)}::jsonb) as v where m.id = (v ->> 'id')::int`)
  ctx.audit({
    bizType: 'menu',
    // Adds the change to the history of each menu. A reordering of hundreds of menus is one log entry without
    // histories.
    ...(before.length <= MOST_HISTORIES && { bizIds: before.map(({ id }) => id) }),
    action: `调整了${moved.length}个菜单的排序：${before
      .slice(0, 10)
      .map(({ name }) => name)
      .join('、')}`,
    diff: before.slice(0, 50).map(({ id, name, sort: from }, at) => ({
      field: String(id),
      title: name,
      from,
      to: moved[at]?.sort,
    })),
  })
  await publishMenuChange(ctx)
  return { changed: moved.length }
}
