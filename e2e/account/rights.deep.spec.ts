import type { Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { type Api, fresh } from '../support/people.ts'
import { expectSwitched } from '../support/pick.ts'

const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name })
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
const drawer = (page: Page) => page.getByRole('dialog').last()
const unfold = (page: Page, menu: RegExp) => row(page, menu).getByRole('button', { name: '展开行' }).click()
const sidebar = (page: Page) => page.locator('aside.sidebar')

/** Locates an entry of the permission tree by its permission string. */
const line = (page: Page, perms: string) =>
  page.locator('.ant-tree-treenode').filter({ hasText: perms }).locator('.ant-tree-checkbox')

test('TENANT-02 TENANT-03 TENANT-04 a new role gets permissions, and an assigned account has them at once', async ({
  page,
  login,
  staff,
  browser,
  baseURL,
  accessible,
}) => {
  const person = await staff(['system:operLog:list'], '试岗')
  const name = fresh('日志员')
  await login()
  await page.goto('/system/rolemanagement')
  await press(page, /新增角色$/)
  await drawer(page).getByLabel('角色名称').fill(name)
  await drawer(page).getByLabel('角色编码').fill('admin')
  await press(page, '保存')
  await expect(drawer(page).getByText('该角色编码为系统保留，请换一个')).toBeVisible()
  await drawer(page).getByLabel('角色编码').fill(fresh('log_'))
  await press(page, '保存')
  await expect(drawer(page)).toBeHidden()
  await page.getByRole('search').getByLabel('角色名称').fill(name)
  await press(page, '查询')
  await expect(row(page, name)).toBeVisible()
  await accessible()

  await row(page, name).getByRole('button', { name: '权限', exact: true }).click()
  await page.getByRole('textbox', { name: '搜索角色权限' }).fill('loginLog')
  await line(page, 'system:loginLog:export').click()
  // A button requires its page, so selecting the button selected the page.
  await expect(line(page, 'system:loginLog:list')).toHaveClass(/ant-tree-checkbox-checked/)
  await accessible()
  await press(page, '保存权限')
  await expect(drawer(page)).toBeHidden()

  const context = await browser.newContext({ ...(baseURL && { baseURL }), locale: 'zh-CN' })
  const other = await context.newPage()
  const listening = other.waitForResponse('**/api/v1/events')
  await other.goto('/')
  await other.getByRole('textbox', { name: '账号' }).fill(person.account)
  await other.getByLabel('密码', { exact: true }).fill(person.password)
  await other.getByRole('button', { name: /登\s*录/ }).click()
  await expect(sidebar(other).getByText('系统管理')).toBeVisible()
  await sidebar(other).getByText('系统管理').click()
  await expect(sidebar(other).getByText('操作日志')).toBeVisible()
  await expect(sidebar(other).getByText('登录日志')).toHaveCount(0)
  await listening

  await row(page, name).getByRole('button', { name: '用户', exact: true }).click()
  await page.getByRole('tab', { name: '添加用户' }).click()
  await drawer(page).getByLabel('账号').first().fill(person.account)
  await drawer(page).getByRole('button', { name: '查询' }).click()
  await drawer(page).getByRole('row', { name: person.account }).getByRole('button', { name: '添加' }).click()
  // The menu appears without a new login and without a reload.
  await expect(sidebar(other).getByText('登录日志')).toBeVisible()
  await page.getByRole('tab', { name: '已有用户' }).click()
  await expect(drawer(page).getByRole('row', { name: person.account })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('tab', { name: '已有用户' })).toBeHidden()

  await row(page, name).getByRole('switch').click()
  await expect(page.getByText('1 个用户立即失去该角色的权限')).toBeVisible()
  await press(page, '停用')
  await expect(sidebar(other).getByText('登录日志')).toHaveCount(0)
  await context.close()
})

test('a menu is renamed and reordered by its sort number, and the menu of the menu page cannot be disabled', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const [name, renamed] = [fresh('手册'), fresh('说明')]
  const admin = await api()
  const { list } = await admin.call<{ list: { id: number; url: string }[] }>('GET', '/api/v1/sys/menu/list')
  const parentId = list.find(({ url }) => url === '/system')?.id
  const link = { type: 'C', parentId, name, url: `https://docs.example.com/${name}`, isFrame: 2, sort: 999 }
  await admin.call('POST', '/api/v1/sys/menu', link)
  await login()
  await page.goto('/system/systemPerm')
  // Other rows stay collapsed: hundreds of expanded rows slow down every step.
  await unfold(page, /系统管理.* 目录/)
  await accessible()
  const edit = async (menu: string) => {
    await row(page, new RegExp(`^.*${menu}.* 页面`))
      .getByRole('button', { name: '编辑' })
      .click()
    await expect(drawer(page).getByLabel('菜单名称')).toHaveValue(menu)
  }
  await edit(name)
  await drawer(page).getByLabel('菜单名称').fill(renamed)
  await press(page, '保存')
  await expect(sidebar(page).getByText(renamed)).toBeVisible()

  await edit('菜单管理')
  await drawer(page).getByRole('switch', { name: /^状态/ }).click()
  await press(page, '保存')
  await expect(page.getByText(/不能停用或隐藏，否则将无法再修改菜单/).first()).toBeVisible()
  await page.keyboard.press('Escape')
  await press(page, '放弃')

  await page.getByRole('spinbutton', { name: new RegExp(`^${renamed}的排序`) }).fill('0')
  await press(page, '保存排序（1）')
  const order = sidebar(page)
    .getByRole('link')
    .filter({ hasText: new RegExp(`${renamed}|用户管理`) })
  await expect(order).toHaveText([renamed, '用户管理'])

  await row(page, new RegExp(renamed)).getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '删除' }).click()
  await drawer(page).getByRole('button', { name: '删除' }).click()
  await expect(sidebar(page).getByText(renamed)).toHaveCount(0)
})

interface Node {
  id: number
  perms: string
  children: Node[]
}

/** Creates a scene with these permissions. */
async function offer(admin: Api, sceneName: string, perms: readonly string[]) {
  const { menus } = await admin.call<{ menus: Node[] }>('GET', '/api/v1/sys/scene/permTree')
  const all = (nodes: Node[]): Node[] => nodes.flatMap((node) => [node, ...all(node.children)])
  const menuIds = all(menus).flatMap(({ id, perms: own }) => (perms.includes(own) ? [id] : []))
  await admin.call('POST', '/api/v1/sys/scene', { sceneName, sceneCode: fresh('s'), menuIds })
}

test('a scene is created, changed, disabled with a word on its effect, and deleted', async ({
  page,
  login,
  api,
  accessible,
}) => {
  const name = fresh('场景')
  await offer(await api(), name, ['system:operLog:list', 'system:operLog:query'])
  await login()
  await page.goto('/system/sceneManagement')
  await accessible()
  await expect(row(page, name)).toContainText('2')
  await row(page, name).getByRole('button', { name: '编辑' }).click()
  await page.getByRole('textbox', { name: '搜索菜单权限' }).fill('operLog')
  await line(page, 'system:operLog:export').click()
  await press(page, '保存')
  await expect(row(page, name)).toContainText('3')

  await row(page, name).getByRole('switch').click()
  await expect(page.getByText('停用后，该场景不再提供权限。')).toBeVisible()
  await press(page, '停用')
  await expectSwitched(row(page, name).getByRole('switch'), false)
  await row(page, name).getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '删除' }).click()
  await press(page, '删除')
  await expect(row(page, name)).toHaveCount(0)
})
