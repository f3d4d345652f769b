import type { MenuNode } from '@oms/contract/account/perms.ts'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { menus } from '#core/schema/system.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'

type Node = Omit<MenuNode, 'children'> & { perms: string }

/**
 * Returns the menus an account sees: granted pages, the directories above them, and hidden pages whose parent page
 * (`activeMenu`) is granted. Directories are derived here and never granted, so that moving a page keeps every role
 * valid.
 */
export async function buildMenuTree(db: Db, menuIds: ReadonlySet<number>, isSuper: boolean): Promise<MenuNode[]> {
  const rows = (await db
    .select({
      id: menus.id,
      name: menus.name,
      parentId: menus.parentId,
      type: menus.type,
      url: menus.url,
      perms: menus.perms,
      visible: menus.visible,
      icon: menus.icon,
      sort: menus.sort,
      keepAlive: menus.keepAlive,
      isFrame: menus.isFrame,
      query: menus.query,
      activeMenu: menus.activeMenu,
    })
    .from(menus)
    .where(and(notDeleted(menus), eq(menus.status, 1), inArray(menus.type, ['M', 'C'])))
    .orderBy(asc(menus.sort), asc(menus.id))) as Node[]
  return treeOf(rows, heldPages(rows, menuIds, isSuper))
}

/**
 * Returns true for a page without its own permission that opens from another page (a detail or a form). Access follows
 * the other page.
 */
export const isOpenedFromParent = ({ type, activeMenu, perms }: { type: string; activeMenu: string; perms: string }) =>
  type === 'C' && activeMenu !== '' && perms === ''

/** Returns ids of the pages that the account may open. */
function heldPages(rows: readonly Node[], menuIds: ReadonlySet<number>, isSuper: boolean): ReadonlySet<number> {
  const pages = rows.filter(({ type }) => type === 'C')
  if (isSuper) return new Set(pages.map(({ id }) => id))
  const urls = new Set(pages.flatMap(({ id, url }) => (menuIds.has(id) ? [url] : [])))
  const held = (page: Node) => (isOpenedFromParent(page) ? urls.has(page.activeMenu) : menuIds.has(page.id))
  return new Set(pages.flatMap((page) => (held(page) ? [page.id] : [])))
}

function treeOf(rows: readonly Node[], held: ReadonlySet<number>): MenuNode[] {
  const below = Map.groupBy(rows, ({ parentId }) => parentId)
  const branch = (parentId: number): MenuNode[] =>
    (below.get(parentId) ?? []).flatMap((row) => {
      const children = branch(row.id)
      if (row.type === 'C' ? !held.has(row.id) : children.length === 0) return []
      const { perms: _perms, ...node } = row
      return [{ ...node, children }]
    })
  return branch(0)
}

/** Menu status: 0 disabled, 1 enabled, 2 enabled but below a disabled menu. Only status 1 grants access. */
export const MENU_STATUS = { off: 0, on: 1, offByParent: 2 } as const

/**
 * Recomputes the stored status of every menu. Disabling a directory or page disables its descendants; enabling restores
 * their states. Call this function after any change of the menu table.
 */
export async function updateMenuStatus(db: Db): Promise<void> {
  await db.execute(sql`
    with recursive tree (id, status) as (
      select id, status from menus where parent_id = 0 and deleted_at is null
      union all
      select m.id, case when m.status = 0 then 0::smallint when tree.status = 1 then 1::smallint else 2::smallint end
      from menus m join tree on m.parent_id = tree.id where m.deleted_at is null)
    update menus set status = tree.status from tree where tree.id = menus.id and tree.status <> menus.status`)
}

/**
 * Serialises changes of the menu table until the transaction ends. Two concurrent moves could otherwise create a cycle.
 */
export const lockMenus = (db: Db) => db.execute(sql`select pg_advisory_xact_lock(hashtext('oms menus'))`)
