import type { Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { makeListedDevices } from '../support/fleet.ts'
import { fresh } from '../support/people.ts'

const ROWS = 320

test('PAGER-01 PAGER-02 PAGER-03 a list page has 20 rows, 5 or 7 page numbers by window width, and starts at the top', async ({
  page,
  login,
  api,
}) => {
  const admin = await api()
  const type = fresh('pager_')
  await admin.call('POST', '/api/v1/sys/dict/type', { dictName: '分页测试', dictType: type, status: 1 })
  const { list } = await admin.call<{ list: { dictId: number }[] }>('GET', '/api/v1/sys/dict/type/list', {
    dictType: type,
  })
  for (let start = 1; start <= ROWS; start += 40) {
    const batch = Array.from({ length: 40 }, (_, index) => start + index)
    const add = (n: number) =>
      admin.call('POST', '/api/v1/sys/dict/data', {
        dictType: type,
        dictLabel: `条目 ${n}`,
        dictValue: `v${n}`,
        dictSort: n,
        status: 1,
      })
    await Promise.all(batch.map(add))
  }
  await login()
  await page.setViewportSize({ width: 1440, height: 700 })
  await page.goto(`/system/dict/data/index/${list[0]?.dictId}`)
  const pager = page.getByRole('navigation', { name: '分页' })
  await expect(pager).toContainText(`共 ${ROWS} 条`)
  await expect(page.getByText('条目 20', { exact: true })).toBeVisible()
  await expect(page.getByText('条目 21', { exact: true })).toBeHidden()
  const numbers = pager.getByRole('button').filter({ hasText: /^\d+$/ })
  await expect(numbers).toHaveCount(7)
  await page.setViewportSize({ width: 900, height: 700 })
  await expect(numbers).toHaveCount(5)
  await page.setViewportSize({ width: 1440, height: 700 })

  await pager.scrollIntoViewIfNeeded()
  // The sidebar scrolls to the entry of the shown page.
  const scrolled = () =>
    page.evaluate(() => {
      const places = [...document.querySelectorAll('*')].map((each) => (each.closest('aside') ? 0 : each.scrollTop))
      return Math.max(0, ...places, window.scrollY)
    })
  await expect.poll(scrolled).toBeGreaterThan(100)
  // The specified scroll animation takes 800 ms. A script in the page observes it, because the driver may be too
  // slow.
  const from = await scrolled()
  const places = await page.evaluateHandle(() => {
    const seen: number[] = []
    document.addEventListener('scroll', ({ target }) => seen.push((target as Element).scrollTop), true)
    return seen
  })
  await numbers.filter({ hasText: /^2$/ }).click()
  await expect.poll(scrolled).toBe(0)
  expect((await places.jsonValue()).some((place) => place > 0 && place < from)).toBe(true)
  await expect(page.getByText('条目 40', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/pageNum=2/)
})

/** Returns the texts of a column that are wider than their cells. */
const cutTexts = (page: Page, title: string) =>
  page.evaluate((wanted) => {
    const heads = [...document.querySelectorAll('.ant-table-thead th')]
    const column = heads.findIndex(({ textContent }) => textContent === wanted)
    const range = document.createRange()
    return [...document.querySelectorAll('tr.ant-table-row')].flatMap(({ children }) => {
      const cell = children[column] as HTMLElement
      range.selectNodeContents(cell)
      const { paddingInlineEnd } = getComputedStyle(cell)
      const end = cell.getBoundingClientRect().right - Number.parseFloat(paddingInlineEnd)
      return range.getBoundingClientRect().right > end + 0.5 ? [cell.textContent] : []
    })
  }, title)

/** Returns the number of rows that are inside the window as a whole. */
const wholeRows = (page: Page) =>
  page.evaluate(() => {
    const rows = [...document.querySelectorAll('tr.ant-table-row')]
    return rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length
  })

test('the device list shows complete versions and tenants at 1440 px, and 7 rows below all filters at 1280 × 720', async ({
  page,
  login,
}) => {
  const prefix = await makeListedDevices(12)
  await login()
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto(`/device/apkManage?sn=${prefix}`)
  await expect(page.getByText('C30 3.1.0（3200）')).toHaveCount(12)
  expect(await cutTexts(page, '固件版本')).toEqual([])
  expect(await cutTexts(page, '所属客户')).toEqual([])
  const overflow = page.locator('.ant-table-body').first()
  expect(await overflow.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)

  await page.setViewportSize({ width: 1280, height: 720 })
  await page.getByRole('search').getByRole('button', { name: '更多筛选' }).click()
  await expect(page.getByLabel('IMEI')).toBeVisible()
  await expect.poll(() => wholeRows(page)).toBeGreaterThanOrEqual(7)
})

/** Titles of the header cells that the pinned column of actions covers, wholly or in part. */
const coveredTitles = (page: Page) =>
  page.evaluate(() => {
    const cells = [...document.querySelectorAll('.ant-table-header th, .ant-table-thead th')]
    const pinned = cells.find((cell) => cell.textContent === '操作')?.getBoundingClientRect().left ?? Infinity
    return cells.flatMap((cell) => {
      const title = cell.textContent ?? ''
      return title !== '操作' && cell.getBoundingClientRect().right > pinned + 1 ? [title] : []
    })
  })

test('at 1280 px row actions do not cover the number, the status or the end time of a row', async ({ page, login }) => {
  // The tenant list needs a tenant, which this call creates with its devices.
  await makeListedDevices(1)
  await login()
  await page.setViewportSize({ width: 1280, height: 720 })
  for (const [address, ...titles] of [
    ['/tenantManage/tenant', '客户名称', '客户编号', '状态', '到期时间'],
    ['/system/systemPerm', '菜单名称', '状态'],
  ] as const) {
    await page.goto(address)
    for (const title of titles) await expect(page.getByRole('columnheader', { name: title }).first()).toBeVisible()
    const coveredOf = async () =>
      (await coveredTitles(page)).filter((each) => titles.some((title) => each.startsWith(title)))
    await expect(page.locator('tbody tr.ant-table-row').first()).toBeVisible()
    await expect.poll(coveredOf, { message: address }).toEqual([])
  }
})
