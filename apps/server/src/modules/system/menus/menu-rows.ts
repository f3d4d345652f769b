import { MAX_MENU_DEPTH, MENU_SCREEN, type MenuType } from '@oms/contract/system/menu.ts'
import { and, asc, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { menus } from '#core/schema/system.ts'
import type { Ctx } from '#core/http/context.ts'
import { isOpenedFromParent, updateMenuStatus } from '#core/auth/menus.ts'
import { publishRightsChanged } from '#core/auth/permission-version.ts'
import { invalid, notFound, refused } from '#core/http/api-error.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

export type Menu = typeof menus.$inferSelect

/** Returns all menus in sidebar order. There are a few hundred, so trees are built in memory. */
export const readMenus = (db: Db): Promise<Menu[]> =>
  db.select().from(menus).where(notDeleted(menus)).orderBy(asc(menus.sort), asc(menus.id))

export async function readMenu(db: Db, id: number): Promise<Menu> {
  const [found] = await db
    .select()
    .from(menus)
    .where(and(eq(menus.id, id), notDeleted(menus)))
  if (!found) throw notFound('菜单')
  return found
}

/** Fields of a menu for validating its position. */
export type MenuPosition = Pick<Menu, 'id' | 'parentId' | 'type' | 'visible' | 'activeMenu' | 'perms' | 'name'>

/** Throws when the parent is missing, of the wrong type, a descendant, or too deep. */
export function assertMenuPosition(byId: ReadonlyMap<number, MenuPosition>, menu: MenuPosition) {
  const problem = findMenuPositionProblem(byId, menu)
  if (problem) throw invalid(problem, 'parentId')
}

/** Returns the problem of a menu's position; undefined when valid. */
export function findMenuPositionProblem(
  byId: ReadonlyMap<number, MenuPosition>,
  menu: MenuPosition,
): string | undefined {
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
export function listMenuAncestors(
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
export async function publishMenuChange({ db, services }: Ctx) {
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
