import { CATALOGUE, EXTRA_PERMISSIONS } from '@oms/contract/catalogue.ts'
import { listPagePermissions } from '@oms/contract/core/permissions.ts'
import { and, eq, isNull } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '#test/database.ts'
import type { Database } from '#core/database/client.ts'
import { menus } from '#core/schema/system.ts'
import { syncMenus, MENU_STATUS, buildMenuTree, updateMenuStatus } from './menus.ts'

let database: Database
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(() => database.pool.query('truncate menus restart identity'))

const activeMenus = () => database.db.select().from(menus).where(isNull(menus.deletedAt)).orderBy(menus.id)
const set = (where: { url?: string; perms?: string }, values: Partial<typeof menus.$inferInsert>) =>
  database.db
    .update(menus)
    .set(values)
    .where(and(where.url ? eq(menus.url, where.url) : eq(menus.perms, where.perms ?? ''), isNull(menus.deletedAt)))
const menuByUrl = async (url: string) => (await activeMenus()).find((row) => row.url === url)

const pages = CATALOGUE.flatMap((directory) => directory.pages)
const buttons = pages.flatMap((page) => listPagePermissions(page).slice(1)).length + EXTRA_PERMISSIONS.length
const hidden = pages.flatMap((page) => page.hidden ?? []).length

test('the first sync inserts every directory, page, hidden page and button of the catalogue', async () => {
  expect(await syncMenus(database.db)).toBe(true)
  const rows = await activeMenus()
  expect(rows.filter(({ type }) => type === 'M')).toHaveLength(CATALOGUE.length)
  expect(rows.filter(({ type, visible }) => type === 'C' && visible === 1)).toHaveLength(pages.length)
  expect(rows.filter(({ type, visible }) => type === 'C' && visible === 0)).toHaveLength(hidden)
  expect(rows.filter(({ type }) => type === 'F')).toHaveLength(buttons)
  expect(rows.every(({ isBuiltin }) => isBuiltin === 1)).toBe(true)
  const parent = await menuByUrl('/upgrade/ota')
  expect(await menuByUrl('/EditOta/:id')).toMatchObject({
    parentId: parent?.id,
    activeMenu: '/upgrade/ota',
    visible: 0,
  })
})

test('a second sync changes nothing, and two servers that start together insert no row twice', async () => {
  await Promise.all([syncMenus(database.db), syncMenus(database.db)])
  const before = await activeMenus()
  expect(new Set(before.map(({ type, url, perms }) => `${type} ${url} ${perms}`)).size).toBe(before.length)
  expect(await syncMenus(database.db)).toBe(false)
  expect(await activeMenus()).toEqual(before)
})

test('a sync keeps names, positions, order, visibility and status that an administrator changed', async () => {
  await syncMenus(database.db)
  const own = { name: '日志', sort: 999, visible: 0, status: 0, icon: 'bug' }
  await set({ url: '/system/operLog' }, { ...own, parentId: 0 })
  await syncMenus(database.db)
  expect(await menuByUrl('/system/operLog')).toMatchObject({ ...own, parentId: 0 })
})

test('a sync deletes a row that left the catalogue with its custom buttons, and moves its custom pages up', async () => {
  await syncMenus(database.db)
  const system = await menuByUrl('/system')
  const base = { type: 'C', name: '旧页', url: '/system/old', perms: 'system:old:list', isBuiltin: 1 }
  const [old] = await database.db
    .insert(menus)
    .values({ ...base, parentId: system?.id ?? 0 })
    .returning()
  await database.db.insert(menus).values([
    { type: 'F', name: '按钮', perms: 'system:old:own', parentId: old?.id ?? 0 },
    { type: 'C', name: '自建页', url: '/own', perms: 'own:page:list', parentId: old?.id ?? 0 },
  ])
  expect(await syncMenus(database.db)).toBe(true)
  const rows = await activeMenus()
  expect(rows.map(({ perms }) => perms)).not.toContain('system:old:list')
  expect(rows.map(({ perms }) => perms)).not.toContain('system:old:own')
  expect(rows.find(({ url }) => url === '/own')).toMatchObject({ parentId: 0 })

  // The opposite case: a row that an earlier version removed is restored with its id, so that roles keep their grants.
  const ota = await menuByUrl('/upgrade/ota')
  await set({ url: '/upgrade/ota' }, { deletedAt: '2030-01-01T00:00:00Z' })
  await syncMenus(database.db)
  expect(await menuByUrl('/upgrade/ota')).toMatchObject({ id: ota?.id, isBuiltin: 1 })
})

test('a sync takes over a custom row whose URL or permission became part of the catalogue', async () => {
  await database.db.insert(menus).values([
    { type: 'C', name: '我的固件', url: '/upgrade/ota', perms: '' },
    { type: 'F', name: '我的按钮', perms: 'upgrade:ota:add' },
    { type: 'C', name: '占用者', url: '/mine', perms: 'upgrade:ota:list' },
  ])
  await syncMenus(database.db)
  expect(await menuByUrl('/upgrade/ota')).toMatchObject({ name: '我的固件', perms: 'upgrade:ota:list', isBuiltin: 1 })
  expect(await menuByUrl('/mine')).toMatchObject({ perms: '', isBuiltin: 0 })
  expect((await activeMenus()).filter(({ perms }) => perms === 'upgrade:ota:add')).toHaveLength(1)
})

test('ACCOUNT-01 the menu tree contains the granted pages, their directories, and hidden pages with their parent page', async () => {
  await syncMenus(database.db)
  const log = await menuByUrl('/system/operLog')
  const detail = await menuByUrl('/EditOta/:id')
  const tree = await buildMenuTree(database.db, new Set([log!.id, detail!.id]), false)
  expect(tree.map(({ url }) => url)).toEqual(['/system'])
  expect(tree[0]?.children.map(({ url }) => url)).toEqual(['/system/operLog'])

  const ota = await menuByUrl('/upgrade/ota')
  const [upgrade] = await buildMenuTree(database.db, new Set([ota!.id]), false)
  expect(upgrade?.children[0]?.children.map(({ url, visible }) => [url, visible])).toEqual([
    ['/AddOta', 0],
    ['/EditOta/:id', 0],
    ['/upgrade/ota/release/:id', 0],
  ])
  expect(await buildMenuTree(database.db, new Set(), false)).toEqual([])
  const all = await buildMenuTree(database.db, new Set(), true)
  expect(all.map(({ url }) => url)).toEqual(CATALOGUE.map(({ url }) => url))
})

test('disabling a directory disables all its descendants, and enabling it restores the previous states', async () => {
  await syncMenus(database.db)
  await set({ url: '/system/operLog' }, { status: MENU_STATUS.off })
  await set({ url: '/system' }, { status: MENU_STATUS.off })
  await updateMenuStatus(database.db)
  expect((await menuByUrl('/system/loginLog'))?.status).toBe(MENU_STATUS.offByParent)
  expect((await activeMenus()).find(({ perms }) => perms === 'system:loginLog:export')?.status).toBe(
    MENU_STATUS.offByParent,
  )
  expect((await buildMenuTree(database.db, new Set(), true)).map(({ url }) => url)).not.toContain('/system')

  await set({ url: '/system' }, { status: MENU_STATUS.on })
  await updateMenuStatus(database.db)
  expect((await menuByUrl('/system/loginLog'))?.status).toBe(MENU_STATUS.on)
  expect((await menuByUrl('/system/operLog'))?.status).toBe(MENU_STATUS.off)
})
