import type { MenuNode } from '@oms/contract/perms.ts'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { menus } from '#db/schema/system.ts'
import { alive } from './tenancy.ts'

type Node = Omit<MenuNode, 'children'> & { perms: string }

/**
 * The menus an account sees: the pages it holds, the directories above them, and the hidden pages whose parent page
 * (`activeMenu`) it holds. Directories are derived here, never granted, so moving a page keeps every role right.
 */
export async function menuTreeOf(db: Db, menuIds: ReadonlySet<number>, isSuper: boolean): Promise<MenuNode[]> {
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
    .where(and(alive(menus), eq(menus.status, 1), inArray(menus.type, ['M', 'C'])))
    .orderBy(asc(menus.sort), asc(menus.id))) as Node[]
  return treeOf(rows, heldPages(rows, menuIds, isSuper))
}

/** Is this a page without a right of its own, opened from another (a detail, a form)? It goes with that page. */
export const followsParent = ({ type, activeMenu, perms }: { type: string; activeMenu: string; perms: string }) =>
  type === 'C' && activeMenu !== '' && perms === ''

/** Ids of the pages one may open. */
function heldPages(rows: readonly Node[], menuIds: ReadonlySet<number>, isSuper: boolean): ReadonlySet<number> {
  const pages = rows.filter(({ type }) => type === 'C')
  if (isSuper) return new Set(pages.map(({ id }) => id))
  const urls = new Set(pages.flatMap(({ id, url }) => (menuIds.has(id) ? [url] : [])))
  const held = (page: Node) => (followsParent(page) ? urls.has(page.activeMenu) : menuIds.has(page.id))
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

/** Own switch of a menu: 0 off, 1 on, and 2 on in itself but under one that is off. Only 1 grants anything. */
export const MENU_STATUS = { off: 0, on: 1, offByParent: 2 } as const

/**
 * Makes every menu's stored status say whether it counts: switching a directory or page off takes all below it along,
 * switching it on brings them back as they were. Run it after any change of the menu table.
 */
export async function settleMenuStatus(db: Db): Promise<void> {
  await db.execute(sql`
    with recursive tree (id, status) as (
      select id, status from menus where parent_id = 0 and deleted_at is null
      union all
      select m.id, case when m.status = 0 then 0::smallint when tree.status = 1 then 1::smallint else 2::smallint end
      from menus m join tree on m.parent_id = tree.id where m.deleted_at is null)
    update menus set status = tree.status from tree where tree.id = menus.id and tree.status <> menus.status`)
}

/** Changes of the menu table take turns until their transactions end: two moves at once could close a circle. */
export const lockMenus = (db: Db) => db.execute(sql`select pg_advisory_xact_lock(hashtext('oms menus'))`)
