import { MAX_MENU_DEPTH, MENU_SCREEN, type MenuType } from '@oms/contract/menu.ts'
import { and, asc, eq } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { menus } from '#db/schema/system.ts'
import type { Ctx } from '#kernel/context.ts'
import { followsParent, settleMenuStatus } from '#kernel/menu-tree.ts'
import { rightsChanged } from '#kernel/perm-version.ts'
import { invalid, notFound, refused } from '#kernel/problem.ts'
import { alive } from '#kernel/tenancy.ts'

export type Menu = typeof menus.$inferSelect

/** All menus in sidebar order: a few hundred rows, so trees are built in memory. */
export const readMenus = (db: Db): Promise<Menu[]> =>
  db.select().from(menus).where(alive(menus)).orderBy(asc(menus.sort), asc(menus.id))

export async function readMenu(db: Db, id: number): Promise<Menu> {
  const [found] = await db
    .select()
    .from(menus)
    .where(and(eq(menus.id, id), alive(menus)))
  if (!found) throw notFound('菜单')
  return found
}

/** What the rules of places need to know of a menu. */
export type Placed = Pick<Menu, 'id' | 'parentId' | 'type' | 'visible' | 'activeMenu' | 'perms' | 'name'>

/** Refuses a menu whose parent is missing, of the wrong kind, below itself, or too deep. */
export function assertPlace(byId: ReadonlyMap<number, Placed>, menu: Placed) {
  const problem = placeProblem(byId, menu)
  if (problem) throw invalid(problem, 'parentId')
}

/** What is wrong with the place of a menu, in words; undefined when nothing is. */
export function placeProblem(byId: ReadonlyMap<number, Placed>, menu: Placed): string | undefined {
  const parent = byId.get(menu.parentId)
  if (menu.parentId !== 0 && !parent) return '上级菜单不存在或已被删除'
  const above = ancestors(byId, menu)
  if (above === undefined) return `「${menu.name}」的上级不能是它自己或它的下级`
  if (above.length + heightOf(byId, menu.id) > MAX_MENU_DEPTH) return `菜单最多${MAX_MENU_DEPTH}层`
  return kindProblem(menu, parent)
}

function kindProblem({ type, visible }: Placed, parent: Placed | undefined) {
  const above = parent?.type as MenuType | undefined
  if (type === 'F') {
    if (above !== 'C') return '按钮的上级必须是页面'
    return parent && followsParent(parent) ? '没有权限标识的页面下不能放按钮' : undefined
  }
  if (above === 'F') return '按钮下不能再有菜单'
  if (above !== 'C') return undefined
  if (type === 'M') return '目录的上级必须是目录'
  return visible === 0 ? undefined : '显示的页面只能放在目录下；隐藏的页面才能放在页面下'
}

/** From the menu's parent up to the top; undefined when the way leads in a circle. */
export function ancestors(byId: ReadonlyMap<number, Placed>, { id, parentId }: Placed): Placed[] | undefined {
  const way: Placed[] = []
  for (let at = byId.get(parentId); at; at = byId.get(at.parentId)) {
    if (at.id === id || way.includes(at)) return undefined
    way.push(at)
  }
  return way
}

/** Levels the menu takes with all below it. A circle ends the count. */
function heightOf(byId: ReadonlyMap<number, Placed>, id: number, seen: readonly number[] = []): number {
  if (seen.includes(id)) return 0
  const below = [...byId.values()].filter(({ parentId }) => parentId === id)
  return 1 + Math.max(0, ...below.map((child) => heightOf(byId, child.id, [...seen, id])))
}

/**
 * Ends every change of the tree: what lies below a switched-off menu goes along, the menu screen must have stayed in
 * reach, and open sessions read their rights anew.
 */
export async function settle({ db, kernel }: Ctx) {
  await settleMenuStatus(db)
  await assertMenuScreen(db)
  await rightsChanged(kernel, db)
  await kernel.events.publish(db, 'changed', { resource: 'sys', tenantId: null })
}

/** Whoever hid or switched off the screen menus are managed on could never take it back. */
async function assertMenuScreen(db: Db) {
  const byId = new Map((await readMenus(db)).map((row) => [row.id, row]))
  const screen = [...byId.values()].find(({ type, url }) => type === 'C' && url === MENU_SCREEN)
  if (!screen) return
  const chain = [screen, ...(ancestors(byId, screen) ?? [])] as Menu[]
  if (chain.some(({ status, visible }) => status !== 1 || visible !== 1))
    throw refused(`「${screen.name}」及其上级目录不能停用或隐藏，否则将无法再修改菜单`)
}
