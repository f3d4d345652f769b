import { CATALOGUE, EXTRA_PERMISSIONS } from '@oms/contract/catalogue.ts'
import { listPagePermissions } from '@oms/contract/core/permissions.ts'
import { eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { menus } from '#core/schema/system.ts'
import { lockMenus, updateMenuStatus } from './menu-tree.ts'

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
  let changed = false
  for (const row of wanted) {
    const found = byKey.get(row.key)
    if (found) idOf.set(row.key, found.id)
    if (found && isCurrent(found, row)) continue
    changed = true
    await clearPermission(db, row, found?.id)
    const parentId = row.under === undefined ? 0 : (idOf.get(row.under) ?? 0)
    idOf.set(row.key, found ? await updateRow(db, found, row, parentId) : await insert(db, row, parentId))
  }
  return changed
}

const isCurrent = (stored: Stored, { perms, activeMenu }: Builtin) =>
  stored.isBuiltin === 1 && !stored.deletedAt && stored.perms === perms && stored.activeMenu === activeMenu

async function insert(db: Db, { key: _key, under: _under, ...row }: Builtin, parentId: number) {
  const [added] = await db
    .insert(menus)
    .values({ ...row, parentId, isBuiltin: 1 })
    .returning({ id: menus.id })
  return added!.id
}

/** Updates a row. An active row keeps its position and name; a restored row moves below its parent again. */
async function updateRow(db: Db, { id, deletedAt }: Stored, { perms, activeMenu }: Builtin, parentId: number) {
  const back = deletedAt ? { deletedAt: null, parentId } : {}
  await db
    .update(menus)
    .set({ perms, activeMenu, isBuiltin: 1, ...back })
    .where(eq(menus.id, id))
  return id
}

/** Clears this permission from all other rows, because one permission belongs to one row. */
async function clearPermission(db: Db, { perms }: Builtin, id = 0) {
  if (perms) await db.execute(sql`update menus set perms = '' where perms = ${perms} and id <> ${id}`)
}
