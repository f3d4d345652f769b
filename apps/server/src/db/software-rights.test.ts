import { eq, inArray } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '#test/database.ts'
import { syncMenus } from '#kernel/menu-sync.ts'
import { seedShipped } from '../seed.ts'
import type { Database } from './client.ts'
import { readMigrations } from './migrate.ts'
import { roleMenus, roles } from './schema/account.ts'
import { menus } from './schema/system.ts'
import { sceneMenus, scenes } from './schema/tenant.ts'

const SIX = ['audit', 'publish', 'push', 'task', 'white', 'whiteAll']
const firmware = (...actions: string[]) => actions.map((action) => `upgrade:ota:${action}`)
const software = (...actions: string[]) => actions.map((action) => `upgrade:GeneralSoftware:${action}`)

let database: Database
beforeEach(async () => {
  database = await createTestDatabase()
  await seedShipped(database.db)
})
afterEach(() => database.close())

/** The migration once more, over what a test made of the database. */
async function update() {
  const migration = readMigrations().find(({ tag }) => tag.endsWith('_software_rights'))
  for (const statement of migration!.statements) await database.pool.query(statement)
}

const idsOf = async (perms: readonly string[]) =>
  (
    await database.db
      .select({ id: menus.id })
      .from(menus)
      .where(inArray(menus.perms, [...perms]))
  ).map(({ id }) => id)

async function roleWith(name: string, perms: readonly string[]) {
  const [role] = await database.db.insert(roles).values({ tenantId: 1, roleName: name, roleCode: name }).returning()
  await database.db.insert(roleMenus).values((await idsOf(perms)).map((menuId) => ({ roleId: role!.id, menuId })))
  return role!.id
}

const permsOf = async (roleId: number) =>
  (
    await database.db
      .select({ perms: menus.perms })
      .from(roleMenus)
      .innerJoin(menus, eq(menus.id, roleMenus.menuId))
      .where(eq(roleMenus.roleId, roleId))
  )
    .map(({ perms }) => perms)
    .sort()

test.each(['made by the program before', 'not there yet'])(
  'who released software with the rights of firmware may go on; nobody gets more (rights %s)',
  async (when) => {
    const before = [...firmware('list', 'edit', ...SIX), ...software('list')]
    const released = await roleWith('released', before)
    const looked = await roleWith('looked', [...firmware('list', 'query'), ...software('list', 'query')])
    const noSoftware = await roleWith('noSoftware', firmware('list', ...SIX))
    const some = await roleWith('some', [...firmware('list', 'task'), ...software('list')])
    const [scene] = await database.db.insert(scenes).values({ sceneName: 's', sceneCode: 's' }).returning()
    await database.db.insert(sceneMenus).values((await idsOf(before)).map((menuId) => ({ sceneId: scene!.id, menuId })))
    if (when === 'not there yet') await database.db.delete(menus).where(inArray(menus.perms, software(...SIX)))

    await update()
    await update()
    expect(await permsOf(released)).toEqual([...before, ...software(...SIX)].sort())
    expect(await permsOf(looked)).toEqual([...firmware('list', 'query'), ...software('list', 'query')].sort())
    expect(await permsOf(noSoftware)).toEqual(firmware('list', ...SIX).sort())
    expect(await permsOf(some)).toEqual([...firmware('list', 'task'), ...software('list', 'task')].sort())
    const inScene = await database.db.select().from(sceneMenus).where(eq(sceneMenus.sceneId, scene!.id))
    expect(inScene).toHaveLength(before.length + SIX.length)
    // The program takes the rights for its own: none twice, none changed.
    expect(await syncMenus(database.db)).toBe(false)
    expect(await idsOf(software(...SIX))).toHaveLength(SIX.length)
  },
)
