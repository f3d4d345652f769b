import type { MenuNode } from '@oms/contract/account/perms.ts'
import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { menus } from '#core/schema/system.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { CATALOGUE, EXTRA_PERMISSIONS } from '@oms/contract/catalogue.ts'
import { listPagePermissions } from '@oms/contract/core/permissions.ts'

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

/** Menu row of the catalogue; `under` is the key of its parent. */
interface Builtin {
  readonly key: string
  readonly under: string | undefined
  readonly type: 'M' | 'C' | 'F'
  readonly name: string
  readonly url: string
  readonly perms: string
  readonly icon: string
  readonly sort: number
  readonly visible: number
  readonly activeMenu: string
}

const STEP = 10

/** Returns the identifying key of a row: the URL of a directory or page, the permission of a button. */
const menuRowKey = ({ type, url, perms }: { type: string; url: string; perms: string }) =>
  type === 'F' ? `F ${perms}` : `${type} ${url}`

/** Returns the catalogue as rows, parents before children. */
export function listBuiltinMenus(): Builtin[] {
  const plain = { url: '', perms: '', icon: '', visible: 1, activeMenu: '' }
  const row = (fields: Omit<Builtin, 'key' | keyof typeof plain> & Partial<Builtin>): Builtin => {
    const full = { ...plain, ...fields }
    return { ...full, key: menuRowKey(full) }
  }
  return CATALOGUE.flatMap(({ url, name, icon, pages }, place) => [
    row({ type: 'M', under: undefined, name, url, icon, sort: (place + 1) * STEP }),
    ...pages.flatMap((page, at) => {
      const [list, ...buttons] = listPagePermissions(page)
      const extra = EXTRA_PERMISSIONS.filter(({ under }) => under === page.url)
      const under = `C ${page.url}`
      const sort = (at + 1) * STEP
      return [
        row({ ...page, type: 'C', under: `M ${url}`, perms: list?.perms ?? '', sort }),
        ...(page.hidden ?? []).map((hidden, i) =>
          row({ ...hidden, type: 'C', under, visible: 0, activeMenu: page.url, sort: (i + 1) * STEP }),
        ),
        ...[...buttons, ...extra].map((button, i) => row({ ...button, type: 'F', under, sort: (i + 1) * STEP })),
      ]
    }),
  ])
}

type Stored = Pick<
  typeof menus.$inferSelect,
  'id' | 'type' | 'url' | 'perms' | 'activeMenu' | 'isBuiltin' | 'deletedAt'
>

/**
 * Synchronises the menu table with the catalogue: inserts new rows, restores returned rows, deletes removed rows. Keeps
 * names, positions, order, visibility and status that an administrator changed. Concurrent servers are serialised.
 * Returns true when anything changed.
 */
export function syncMenus(db: Db): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockMenus(tx)
    const stored: Stored[] = await tx
      .select({
        id: menus.id,
        type: menus.type,
        url: menus.url,
        perms: menus.perms,
        activeMenu: menus.activeMenu,
        isBuiltin: menus.isBuiltin,
        deletedAt: menus.deletedAt,
      })
      .from(menus)
      .orderBy(sql`${menus.deletedAt} asc nulls first`, menus.id)
    const wanted = listBuiltinMenus()
    const left = await deleteRemovedRows(tx, stored, wanted)
    const idOf = new Map<string, number>()
    const added = await addMissing(tx, stored, wanted, idOf)
    if (left) await adoptOrphans(tx, wanted, idOf)
    if (left || added) await updateMenuStatus(tx)
    return left || added
  })
}

/** Deletes built-in rows that left the catalogue. `adoptOrphans` handles the rows below them. */
async function deleteRemovedRows(db: Db, stored: readonly Stored[], wanted: readonly Builtin[]) {
  const keys = new Set(wanted.map(({ key }) => key))
  const gone = stored.filter((row) => row.isBuiltin === 1 && !row.deletedAt && !keys.has(menuRowKey(row)))
  if (gone.length === 0) return false
  const ids = gone.map(({ id }) => id)
  await db
    .update(menus)
    .set({ deletedAt: sql`now()` as unknown as string })
    .where(inArray(menus.id, ids))
  for (const row of gone) row.deletedAt = 'now'
  return true
}

/**
 * Handles rows whose parent was deleted: built-in rows return to their place, custom pages move to the top, buttons are
 * deleted.
 */
async function adoptOrphans(db: Db, wanted: readonly Builtin[], idOf: ReadonlyMap<string, number>) {
  const orphan = sql`deleted_at is null and parent_id <> 0
    and not exists (select from menus above where above.id = menus.parent_id and above.deleted_at is null)`
  const home = new Map(wanted.map(({ key, under }) => [key, under === undefined ? 0 : (idOf.get(under) ?? 0)]))
  const builtin = await db.select().from(menus).where(sql`${orphan} and is_builtin = 1`)
  for (const row of builtin)
    await db
      .update(menus)
      .set({ parentId: home.get(menuRowKey(row)) ?? 0 })
      .where(eq(menus.id, row.id))
  await db.execute(sql`update menus set parent_id = 0 where ${orphan} and type <> 'F'`)
  await db.execute(sql`update menus set deleted_at = now() where ${orphan}`)
}

/**
 * Adds catalogue rows that the table lacks: restores a deleted row, adopts an administrator's row of the same key, or
 * inserts.
 */
async function addMissing(db: Db, stored: readonly Stored[], wanted: readonly Builtin[], idOf: Map<string, number>) {
  // Active rows come first, so that the first row of a key is used. Rows that an administrator deleted are not
  // adopted.
  const byKey = new Map<string, Stored>()
  for (const row of stored)
    if (!byKey.has(menuRowKey(row)) && (row.isBuiltin === 1 || !row.deletedAt)) byKey.set(menuRowKey(row), row)
  const missing = wanted.filter(({ key }) => !byKey.has(key))
  const ids = await reserveIds(db, missing.length)
  for (const { key } of wanted) idOf.set(key, byKey.get(key)?.id ?? ids.shift()!)
  const changed = wanted.filter((row) => !isCurrent(byKey.get(row.key), row))
  await clearPermissions(db, changed, idOf)
  const parentOf = ({ under }: Builtin) => (under === undefined ? 0 : (idOf.get(under) ?? 0))
  for (const row of changed) {
    const found = byKey.get(row.key)
    if (found) await updateRow(db, found, row, parentOf(row))
  }
  const added = missing.map((row) => {
    const { key, under: _, ...columns } = row
    return { ...columns, id: idOf.get(key)!, parentId: parentOf(row), isBuiltin: 1 }
  })
  if (added.length > 0) await db.insert(menus).values(added)
  return changed.length > 0
}

/** Takes ids from the sequence, so that one statement inserts parents with their children. */
async function reserveIds(db: Db, count: number) {
  if (count === 0) return []
  const { rows } = await db.execute<{ id: number }>(
    sql`select nextval(pg_get_serial_sequence('menus', 'id'))::int as id from generate_series(1, ${count}::int)`,
  )
  return rows.map(({ id }) => id)
}

const isCurrent = (stored: Stored | undefined, { perms, activeMenu }: Builtin) =>
  stored?.isBuiltin === 1 && !stored.deletedAt && stored.perms === perms && stored.activeMenu === activeMenu

/** Updates a row. An active row keeps its position and name; a restored row moves below its parent again. */
async function updateRow(db: Db, { id, deletedAt }: Stored, { perms, activeMenu }: Builtin, parentId: number) {
  const back = deletedAt ? { deletedAt: null, parentId } : {}
  await db
    .update(menus)
    .set({ perms, activeMenu, isBuiltin: 1, ...back })
    .where(eq(menus.id, id))
}

/** Clears the permissions of these rows from all other rows, because one permission belongs to one row. */
async function clearPermissions(db: Db, rows: readonly Builtin[], idOf: ReadonlyMap<string, number>) {
  const owners = rows.flatMap(({ key, perms }) => (perms ? [{ perms, id: idOf.get(key) }] : []))
  if (owners.length > 0)
    await db.execute(sql`update menus set perms = '' from json_to_recordset(${JSON.stringify(owners)}::json)
      as owner (perms text, id int) where menus.perms = owner.perms and menus.id <> owner.id`)
}
