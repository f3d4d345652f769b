import type { Page } from '@playwright/test'
import { dictEntry } from '../support/dictionaries.ts'
import { expect, test } from '../support/fixtures.ts'
import { fresh } from '../support/people.ts'
import { pick } from '../support/pick.ts'

const TYPES = '/system/systemDict'
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const dialog = (page: Page) => page.getByRole('dialog')

async function idOf(api: { call<T>(method: string, path: string, data?: object): Promise<T> }, dictType: string) {
  const { list } = await api.call<{ list: { dictId: number }[] }>('GET', '/api/v1/sys/dict/type/list', { dictType })
  return list[0]!.dictId
}

test('DICT-01 a user creates, changes and deletes a dictionary and its entries', async ({
  page,
  login,
  accessible,
}) => {
  const [name, type] = [fresh('包装颜色'), fresh('box_color_')]
  await login()
  await page.goto(TYPES)
  await page.getByRole('button', { name: '新增字典' }).first().click()
  await dialog(page).getByRole('button', { name: '保存' }).click()
  await expect(dialog(page).getByText('请输入字典名称')).toBeVisible()
  await dialog(page).getByLabel('字典名称').fill(name)
  await dialog(page).getByLabel('字典类型').fill(type)
  await dialog(page).getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('新增成功')).toBeVisible()
  // The dialog restores the focus when it has closed.
  await expect(dialog(page)).toBeHidden()
  await page.getByRole('search').getByLabel('字典类型').fill(type)
  await page.getByRole('search').getByLabel('字典类型').press('Enter')
  await row(page, name).getByRole('link', { name: type }).click()
  await expect(page).toHaveURL(/\/system\/dict\/data\/index\/\d+$/)

  await page.getByRole('button', { name: '新增数据' }).first().click()
  await dialog(page).getByLabel('字典标签').fill('红色')
  await dialog(page).getByLabel('字典键值').fill('red')
  await accessible()
  await pick(dialog(page).getByLabel('回显样式'), '危险')
  await expect(dialog(page).locator('.kit-row .kit-state')).toHaveText('红色')
  await dialog(page).getByRole('button', { name: '保存' }).click()
  await expect(row(page, 'red').locator('.kit-state').first()).toHaveAttribute('data-tone', 'error')

  await row(page, 'red').getByRole('button', { name: '编辑' }).click()
  await dialog(page).getByLabel('字典标签').fill('大红')
  await dialog(page).getByRole('button', { name: '保存' }).click()
  await expect(row(page, '大红')).toBeVisible()
  await row(page, '大红').getByRole('button', { name: '更多' }).click()
  await page.getByRole('menuitem', { name: '删除' }).click()
  await dialog(page).getByRole('button', { name: '删除' }).click()
  await expect(page.getByText('这个字典还没有数据')).toBeVisible()
})

test('DICT-02 a changed label appears in an open page without a reload', async ({
  page,
  context,
  login,
  api,
  putBack,
}) => {
  const admin = await api()
  const title = fresh('字典样例')
  const { label, relabel } = await dictEntry(admin, 'sys_notice_type', '3')
  putBack(() => relabel(label))
  const { noticeId } = await admin.call<{ noticeId: number }>('POST', '/api/v1/sys/notice', {
    title,
    type: 3,
    content: '<p>正文</p>',
    priority: 1,
    target: 1,
  })
  await login()
  await page.goto('/system/noticeManage')
  await expect(row(page, title).getByText('系统消息')).toBeVisible()
  await page.evaluate(() => Object.assign(window, { stillHere: true }))

  const editor = await context.newPage()
  await editor.goto(`/system/dict/data/index/${await idOf(admin, 'sys_notice_type')}`)
  await row(editor, '系统消息').getByRole('button', { name: '编辑' }).click()
  await dialog(editor).getByLabel('字典标签').fill('系统播报')
  await dialog(editor).getByRole('button', { name: '保存' }).click()
  await expect(row(editor, '系统播报')).toBeVisible()

  await expect(row(page, title).getByText('系统播报')).toBeVisible()
  expect(await page.evaluate(() => 'stillHere' in window)).toBe(true)

  await row(editor, '系统播报').getByRole('button', { name: '编辑' }).click()
  await dialog(editor).getByLabel('字典标签').fill('系统消息')
  await dialog(editor).getByRole('button', { name: '保存' }).click()
  await expect(row(page, title).getByText('系统消息')).toBeVisible()
  await admin.call('DELETE', `/api/v1/sys/notice/${noticeId}`)
})

test('ROUTE-08 the URL of a dictionary shows the error page 404 when the id contains other characters than digits', async ({
  page,
  login,
}) => {
  await login()
  for (const wrong of ['abc', '1a', '-1']) {
    await page.goto(`/system/dict/data/index/${wrong}`)
    await expect(page.getByRole('heading', { name: '错误页面' })).toBeVisible()
  }
  await page.goto('/system/dict/data/index/999999')
  await expect(page.getByText('字典类型不存在或已被删除')).toBeVisible()
})

test('the dictionary pages hide actions that the account is not permitted to use', async ({
  page,
  login,
  staff,
  accessible,
}) => {
  await login(await staff(['system:systemDict:list']))
  await page.goto(TYPES)
  await expect(row(page, 'sys_user_sex')).toBeVisible()
  for (const name of ['新增字典', '刷新缓存', '导出', '编辑', '详情'])
    await expect(page.getByRole('button', { name })).toHaveCount(0)
  await accessible()
})
