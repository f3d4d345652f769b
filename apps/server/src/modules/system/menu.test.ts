import { ALL_PERMISSIONS, CATALOGUE } from '@oms/contract/catalogue.ts'
import { and, eq, isNull } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { menus } from '#core/schema/system.ts'
import { type Caller, useApp } from '#test/harness.ts'

const app = useApp()
const MENU = '/api/v1/sys/menu'
let admin: Caller
beforeAll(async () => {
  admin = await app.by({ superAdmin: true })
})

const living = async (where: { url?: string; perms?: string }) => {
  const condition = where.url ? eq(menus.url, where.url) : eq(menus.perms, where.perms ?? '')
  const [row] = await app.db
    .select()
    .from(menus)
    .where(and(condition, isNull(menus.deletedAt)))
  return row!
}
const at = (url: string) => living({ url })
const page = (over = {}) => ({ type: 'C', parentId: 0, name: '自建页', url: '/own', perms: 'own:page:list', ...over })
const add = (over = {}) => admin.call('POST', MENU, page(over))
/** Saves a stored menu with some fields changed, as the form does. */
const change = async (url: string, over = {}) => {
  const { id } = await at(url)
  const { data } = await admin.call('GET', `${MENU}/${id}`)
  return admin.call('PUT', MENU, { ...data, status: data.status === 0 ? 0 : 1, ...over })
}

test('the tree contains every menu, and a filter keeps matching menus with their ancestors', async () => {
  const { data } = await admin.call('GET', `${MENU}/list`)
  expect(data.list.map(({ url }: { url: string }) => url)).toEqual(CATALOGUE.map(({ url }) => url))
  const filtered = (await admin.call('GET', `${MENU}/list?name=强制`)).data.list
  expect(filtered).toMatchObject([
    { url: '/system', children: [{ url: '/system/loginLog', children: [{ perms: 'system:online:forceLogout' }] }] },
  ])
  expect(filtered[0].children).toHaveLength(1)
})

test('a page with buttons can be added, changed, and deleted when it is unused', async () => {
  const { data } = await add({ url: '/own/a', perms: 'own:a:list' })
  expect((await admin.call('POST', `${MENU}/buttons/${data.id}`)).data).toEqual({ added: 6 })
  expect((await admin.call('POST', `${MENU}/buttons/${data.id}`)).data).toEqual({ added: 0 })
  expect(await living({ perms: 'own:a:export' })).toMatchObject({ type: 'F', name: '导出', parentId: data.id })
  expect((await change('/own/a', { name: '改名', sort: 7 })).code).toBe(200)
  expect(await at('/own/a')).toMatchObject({ name: '改名', sort: 7, rev: 1 })
  expect(await admin.call('DELETE', `${MENU}/${data.id}`)).toMatchObject({
    code: 400,
    msg: expect.stringContaining('6个下级菜单'),
  })
  for (const action of ['query', 'add', 'edit', 'remove', 'import', 'export'])
    await admin.call('DELETE', `${MENU}/${(await living({ perms: `own:a:${action}` })).id}`)

  const role = await admin.call('POST', '/api/v1/tenant/role', { roleName: '用菜单', roleCode: 'uses_menu' })
  const grant = { roleId: role.data.id, menuIds: [data.id], rev: 0 }
  await admin.call('POST', '/api/v1/tenant/role/permission', grant)
  expect(await admin.call('DELETE', `${MENU}/${data.id}`)).toMatchObject({
    msg: '有1个角色正在使用该菜单，请先取消授权',
  })
  await admin.call('POST', '/api/v1/tenant/role/permission', { ...grant, menuIds: [], rev: 1 })
  expect((await admin.call('DELETE', `${MENU}/${data.id}`)).code).toBe(200)
})

describe('required fields of each menu type', () => {
  test.each([
    [{ type: 'M', perms: 'a:b:c' }, 'perms', '目录不需要权限标识'],
    [{ type: 'F', url: '', perms: '' }, 'perms', '请输入权限标识'],
    [{ type: 'F', url: '/x', perms: 'a:b:c' }, 'url', '按钮没有访问地址'],
    [{ perms: 'a:b' }, 'perms', '权限标识格式应为 模块:页面:操作，只含字母和下划线'],
    [{ url: '' }, 'url', '请输入访问地址'],
    [{ url: 'javascript:alert(1)' }, 'url', '访问地址应以 / 开头，例如 /system/manager'],
    [{ url: '//evil.example/x' }, 'url', '访问地址应以 / 开头，例如 /system/manager'],
    [{ url: '/\\evil.example' }, 'url', '访问地址应以 / 开头，例如 /system/manager'],
    [{ url: 'data:text/html,x', isFrame: 1 }, 'url', '请输入 http 或 https 地址'],
    [{ url: 'https://a@evil.example', isFrame: 2 }, 'url', '请输入 http 或 https 地址'],
    [{ perms: '' }, 'perms', '请输入权限标识'],
    [{ name: ' ' }, 'name', '请输入菜单名称'],
    [{ url: '/system/manager' }, 'url', '访问地址已存在'],
    [{ perms: 'system:manager:add' }, 'perms', '权限标识已存在'],
    [{ type: 'M', url: '/system', perms: '' }, 'url', '访问地址已存在'],
    [{ parentId: 987_654 }, 'parentId', '上级菜单不存在或已被删除'],
    [{ type: 'F', url: '', perms: 'a:b:c' }, 'parentId', '按钮的上级必须是页面'],
  ])('a menu with %o is refused at %s: %s', async (over, field, msg) => {
    expect(await add(over)).toMatchObject({ code: 400, msg, data: { field } })
  })

  test('a menu with an external URL opens in a frame or in a new window', async () => {
    expect((await add({ url: 'https://docs.example.com/a?b=1', isFrame: 2, perms: '' })).code).toBe(200)
  })
})

test('a built-in menu keeps its path, permission and type and cannot be deleted, but can be renamed and moved', async () => {
  expect(await change('/system/operLog', { url: '/elsewhere' })).toMatchObject({ data: { field: 'url' } })
  expect(await change('/system/operLog', { perms: 'a:b:c' })).toMatchObject({ data: { field: 'perms' } })
  expect(await change('/system/operLog', { type: 'M', perms: '' })).toMatchObject({ data: { field: 'type' } })
  const { id } = await at('/system/operLog')
  expect(await admin.call('DELETE', `${MENU}/${id}`)).toMatchObject({
    code: 501,
    msg: expect.stringContaining('内置菜单不能删除'),
  })
  expect((await change('/system/operLog', { name: '操作记录', parentId: 0 })).code).toBe(200)
  expect(await at('/system/operLog')).toMatchObject({ name: '操作记录', parentId: 0 })
  expect((await change('/system/operLog', { parentId: (await at('/system')).id })).code).toBe(200)
})

test('a move that creates a cycle or a fifth level is refused, also with two simultaneous moves', async () => {
  const directory = async (url: string, parentId: number) =>
    (await admin.call('POST', MENU, { type: 'M', name: url, url, parentId })).data.id as number
  const one = await directory('/deep1', 0)
  const two = await directory('/deep2', one)
  expect((await change('/deep1', { parentId: two })).msg).toContain('不能是它自己或它的下级')
  expect((await change('/deep1', { parentId: one })).msg).toContain('不能是它自己或它的下级')
  const three = await directory('/deep3', two)
  const leaf = await admin.call('POST', MENU, page({ url: '/deep/page', perms: 'deep:page:list', parentId: three }))
  const button = { type: 'F', name: '深', perms: 'deep:page:add', parentId: leaf.data.id }
  expect(await admin.call('POST', MENU, button)).toMatchObject({ code: 400, msg: '菜单最多4层' })

  const left = await directory('/left', 0)
  const right = await directory('/right', 0)
  const answers = await Promise.all([change('/left', { parentId: right }), change('/right', { parentId: left })])
  expect(answers.map(({ code }) => code).sort()).toEqual([200, 400])
})

test('a sort request saves all sort numbers or none', async () => {
  const [log, logins] = [await at('/system/operLog'), await at('/system/loginLog')]
  const swap = [
    { id: log.id, sort: logins.sort },
    { id: logins.id, sort: log.sort },
  ]
  expect((await admin.call('PUT', `${MENU}/sort`, { list: swap })).data).toEqual({ changed: 2 })
  expect((await admin.call('PUT', `${MENU}/sort`, { list: swap })).data).toEqual({ changed: 0 })
  const history = await admin.call('GET', `/api/v1/sys/operlog/biz/menu/${log.id}`)
  expect(history.data.list[0]).toMatchObject({ title: '菜单排序', action: expect.stringContaining('2个菜单') })
  expect((await at('/system/operLog')).sort).toBe(logins.sort)
  const wrong = [
    { id: log.id, sort: 1 },
    { id: 999_999_999, sort: 2 },
  ]
  expect((await admin.call('PUT', `${MENU}/sort`, { list: wrong })).code).toBe(400)
  expect((await at('/system/operLog')).sort).toBe(logins.sort)
})

test('disabling a page removes its permissions from all accounts immediately, and enabling restores them', async () => {
  const person = await app.as('system:operLog:list', 'system:rolemanagement:list')
  const may = async () => (await person.call('GET', '/api/v1/tenant/role/list')).code
  expect(await may()).toBe(200)
  expect((await change('/system/rolemanagement', { status: 0 })).code).toBe(200)
  await expect.poll(may).toBe(501)
  expect((await living({ perms: 'system:rolemanagement:add' })).status).toBe(2)
  expect((await change('/system/rolemanagement', { status: 1 })).code).toBe(200)
  await expect.poll(may).toBe(200)
  expect((await living({ perms: 'system:rolemanagement:add' })).status).toBe(1)
})

test('the page for menus and its ancestors can be neither hidden nor disabled', async () => {
  for (const [url, over] of [
    ['/system/systemPerm', { status: 0 }],
    ['/system/systemPerm', { visible: 0 }],
    ['/system', { status: 0 }],
    ['/system', { visible: 0 }],
  ] as const)
    expect(await change(url, over)).toMatchObject({ code: 501, msg: expect.stringContaining('不能停用或隐藏') })
  const { id } = (await admin.call('POST', MENU, { type: 'M', name: '停用的', url: '/off', parentId: 0, status: 0 }))
    .data
  expect((await change('/system/systemPerm', { parentId: id })).code).toBe(501)
  expect(await at('/system/systemPerm')).toMatchObject({ status: 1, visible: 1 })
})

test('roles keep the permission of a menu that is moved', async () => {
  const person = await app.as('system:operLog:list')
  await change('/system/operLog', { parentId: (await at('/upgrade')).id })
  const urls = async () => {
    const { data } = await person.call('GET', '/api/v1/sys/account/perms')
    return data.menus.map(({ url, children }: { url: string; children: { url: string }[] }) => [
      url,
      children.map((child) => child.url),
    ])
  }
  await expect.poll(urls).toEqual([['/upgrade', ['/system/operLog']]])
})

test('the shipped menus contain every permission of the contract, so that each permission can be granted', async () => {
  const rows = await app.db
    .select({ perms: menus.perms })
    .from(menus)
    .where(and(eq(menus.isBuiltin, 1), isNull(menus.deletedAt)))
  expect(new Set(rows.flatMap(({ perms }) => (perms ? [perms] : [])))).toEqual(ALL_PERMISSIONS)
})

test('a tenant cannot manage menus with any scene', async () => {
  const boss = await app.by({ tenant: '丙公司', permissions: ['system:systemPerm:list', 'system:systemPerm:add'] })
  expect(await boss.call('GET', `${MENU}/list`)).toMatchObject({ code: 501, msg: '您没有权限！' })
  expect((await boss.call('POST', MENU, page({ url: '/x', perms: 'x:y:z' }))).code).toBe(501)
})
