import { CATALOGUE, EXTRA_PERMISSIONS } from '@oms/contract/catalogue.ts'
import { permissionsOf } from '@oms/contract/kernel/catalogue.ts'
import { eq, inArray, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { menus } from '#db/schema/system.ts'
import { lockMenus, settleMenuStatus } from './menu-tree.ts'

/** A row the product ships with; `under` is the key of its parent. */
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

/** Directories and pages are known by their address, buttons by their permission. */
const keyOf = ({ type, url, perms }: { type: string; url: string; perms: string }) =>
  type === 'F' ? `F ${perms}` : `${type} ${url}`

/** The catalogue as rows, parents before children. */
export function builtinMenus(): Builtin[] {
  const plain = { url: '', perms: '', icon: '', visible: 1, activeMenu: '' }
  const row = (fields: Omit<Builtin, 'key' | keyof typeof plain> & Partial<Builtin>): Builtin => {
    const full = { ...plain, ...fields }
    return { ...full, key: keyOf(full) }
  }
  return CATALOGUE.flatMap(({ url, name, icon, pages }, place) => [
    row({ type: 'M', under: undefined, name, url, icon, sort: (place + 1) * STEP }),
    ...pages.flatMap((page, at) => {
      const [list, ...buttons] = permissionsOf(page)
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
 * Brings the menu table up to the catalogue: adds what is new, revives what came back, takes away what left. What an
 * administrator renamed, moved, sorted, hid or switched off stays so. Two servers starting at once take turns.
 * Answers whether anything changed.
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
    const wanted = builtinMenus()
    const left = await removeGone(tx, stored, wanted)
    const idOf = new Map<string, number>()
    const added = await addMissing(tx, stored, wanted, idOf)
    if (left) await adoptOrphans(tx, wanted, idOf)
    if (left || added) await settleMenuStatus(tx)
    return left || added
  })
}

/** Built-in rows no longer in the catalogue go; what lay below them is looked after by `adoptOrphans`. */
async function removeGone(db: Db, stored: readonly Stored[], wanted: readonly Builtin[]) {
  const keys = new Set(wanted.map(({ key }) => key))
  const gone = stored.filter((row) => row.isBuiltin === 1 && !row.deletedAt && !keys.has(keyOf(row)))
  if (gone.length === 0) return false
  const ids = gone.map(({ id }) => id)
  await db
    .update(menus)
    .set({ deletedAt: sql`now()` as unknown as string })
    .where(inArray(menus.id, ids))
  for (const row of gone) row.deletedAt = 'now'
  return true
}

/** Below a row that went: built-in ones return to their place, an administrator's pages move to the top, buttons go. */
async function adoptOrphans(db: Db, wanted: readonly Builtin[], idOf: ReadonlyMap<string, number>) {
  const orphan = sql`deleted_at is null and parent_id <> 0
    and not exists (select from menus above where above.id = menus.parent_id and above.deleted_at is null)`
  const home = new Map(wanted.map(({ key, under }) => [key, under === undefined ? 0 : (idOf.get(under) ?? 0)]))
  const builtin = await db.select().from(menus).where(sql`${orphan} and is_builtin = 1`)
  for (const row of builtin)
    await db
      .update(menus)
      .set({ parentId: home.get(keyOf(row)) ?? 0 })
      .where(eq(menus.id, row.id))
  await db.execute(sql`update menus set parent_id = 0 where ${orphan} and type <> 'F'`)
  await db.execute(sql`update menus set deleted_at = now() where ${orphan}`)
}

/** Rows of the catalogue the table lacks: revived, adopted from an administrator's row of the same key, or inserted. */
async function addMissing(db: Db, stored: readonly Stored[], wanted: readonly Builtin[], idOf: Map<string, number>) {
  // Living rows come first, so the first of a key wins; an administrator's deleted row is not taken.
  const byKey = new Map<string, Stored>()
  for (const row of stored)
    if (!byKey.has(keyOf(row)) && (row.isBuiltin === 1 || !row.deletedAt)) byKey.set(keyOf(row), row)
  let changed = false
  for (const row of wanted) {
    const found = byKey.get(row.key)
    if (found) idOf.set(row.key, found.id)
    if (found && isCurrent(found, row)) continue
    changed = true
    await freePermission(db, row, found?.id)
    const parentId = row.under === undefined ? 0 : (idOf.get(row.under) ?? 0)
    idOf.set(row.key, found ? await renew(db, found, row, parentId) : await insert(db, row, parentId))
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

/** A living row keeps its place and name; one that comes back from the deleted finds its way under its parent again. */
async function renew(db: Db, { id, deletedAt }: Stored, { perms, activeMenu }: Builtin, parentId: number) {
  const back = deletedAt ? { deletedAt: null, parentId } : {}
  await db
    .update(menus)
    .set({ perms, activeMenu, isBuiltin: 1, ...back })
    .where(eq(menus.id, id))
  return id
}

/** A permission belongs to one row: whatever else carried it gives it up. */
async function freePermission(db: Db, { perms }: Builtin, id = 0) {
  if (perms) await db.execute(sql`update menus set perms = '' where perms = ${perms} and id <> ${id}`)
}
