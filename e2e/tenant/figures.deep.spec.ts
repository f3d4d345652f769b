import type { APIRequestContext, BrowserContext, Page, Request } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { type Api, apiOf, fresh, md5, type Person } from '../support/people.ts'
import { makeTenantRecords } from './tenant-records.ts'

const CHOSEN = 'Chosen-2026'
/** Each test opens about a hundred lists. */
test.setTimeout(300_000)

interface Node {
  id: number
  type: string
  children: Node[]
}

interface Opened {
  id: number
  account: string
  password: string
}

/** Creates a tenant whose scene contains all pages that tenants may have. */
async function openTenant(admin: Api): Promise<Opened> {
  const { menus } = await admin.call<{ menus: Node[] }>('GET', '/api/v1/sys/scene/permTree')
  const all = (nodes: Node[]): Node[] => nodes.flatMap((node) => [node, ...all(node.children ?? [])])
  const menuIds = all(menus).flatMap(({ id, type }) => (type === 'M' ? [] : [id]))
  const scene = { sceneName: fresh('全部'), sceneCode: fresh('all_'), isDefault: 0, menuIds }
  const { id: sceneId } = await admin.call<{ id: number }>('POST', '/api/v1/sys/scene', scene)
  const kind = { name: fresh('行业'), code: fresh('IND_').toUpperCase() }
  const { id: industryId } = await admin.call<{ id: number }>('POST', '/api/v1/tenant/industry', kind)
  const contact = { contactName: '王经理', contactPhone: '13812345678', adminName: '李管理' }
  return admin.call('POST', '/api/v1/tenant', { ...contact, name: fresh('客户'), industryId, sceneIds: [sceneId] })
}

interface Figure {
  readonly page: string
  readonly name: string
  readonly href: string
  /** Undefined for a link without a count. */
  readonly count: number | undefined
}

/** Shows the table of every chart. A chart draws its values on a canvas. */
async function showTables(page: Page) {
  const buttons = page.getByRole('button', { name: '看表格' })
  while ((await buttons.count()) > 0) await buttons.first().click()
}

/** Opens a page by `open` and waits until it has loaded all its blocks. */
async function load(page: Page, open: () => Promise<unknown>) {
  const pending = new Set<Request>()
  const opened = (request: Request) => request.url().endsWith('/events') || pending.add(request)
  const closed = (request: Request) => pending.delete(request)
  page.on('request', opened).on('requestfinished', closed).on('requestfailed', closed)
  await open()
  // Pages of other tabs stay in the document without being visible.
  const shown = (selector: string) => page.locator(selector).filter({ visible: true })
  await expect(shown('main h1, main h2, main .kit-card').first()).toBeVisible()
  const waiting = shown('main [aria-busy="true"], main .ant-skeleton, main .loading-line')
  let quiet = 0
  await expect
    .poll(async () => (quiet = pending.size > 0 || (await waiting.count()) > 0 ? 0 : quiet + 1), {
      intervals: [100],
      timeout: 60_000,
    })
    .toBeGreaterThanOrEqual(2)
  page.off('request', opened).off('requestfinished', closed).off('requestfailed', closed)
}

/** Links to other records and to next steps, which show no count. */
const RECORD_LINKS = '.kit-head a, .kit-groups a, .tenant-steps a, .tenant-next, .kit-items strong a'

/** Returns the links of the page's content with the count that each shows. Omits zero values of charts. */
async function figuresOf(page: Page, place: string): Promise<Figure[]> {
  await load(page, () => page.goto(place))
  await showTables(page)
  const links = await page.locator(`main a[href^="/"]:not(${RECORD_LINKS})`).evaluateAll((all) =>
    all.flatMap((link) => {
      const text = (from: Element | null | undefined) => from?.textContent?.trim() ?? ''
      const name = `${link.getAttribute('aria-label') ?? ''}${text(link)}`
      const row = link.closest('li')
      const homeFact = link.matches('.home-fact > :first-child') ? link.parentElement : null
      const cell = link.matches('th a') ? text(link.parentElement?.querySelector('small')) : ''
      const beside = link.matches('h2 > a') ? text(link.parentElement?.nextElementSibling) : ''
      const note = link.matches('.kit-fact-line a') ? link.nextElementSibling : null
      const small = text(link.querySelector(':scope > small') ?? note)
      const shown = [
        text(row?.querySelector('.home-bars-value, strong')),
        text(homeFact?.querySelector(':scope > b')),
        cell,
        beside,
        link.matches('.stat-cell') ? small : '',
        /^\d+ 个/.test(small) ? small : '',
        text(link.querySelector('b')),
        name.replace(/^.*[\s：]/, ''),
      ].find((each) => /^[\d,]+(?![\d,.%‰]| ?(?:分|小时|天|[KMGT]?B))/.test(each))
      const count = shown === undefined ? undefined : Number(/^[\d,]+/.exec(shown)?.[0].replaceAll(',', ''))
      const isZero = count === 0 && link.closest('.chart-table') !== null
      return isZero ? [] : [{ name, href: link.getAttribute('href') ?? '', count }]
    }),
  )
  return links.map((link) => ({ page: place, ...link }))
}

/** Returns the total that the visible list shows; undefined before the list is shown. Lists without rows have no pager. */
async function totalOf(page: Page) {
  const text = await page.locator('.kit-pager-total').filter({ visible: true }).allTextContents()
  if (text[0] !== undefined) return Number(text[0].replaceAll(/\D/g, ''))
  return (await page.locator('main .ant-empty').filter({ visible: true }).count()) > 0 ? 0 : undefined
}

/** Opens a page of the console as a link does, without loading the console again. */
const follow = (page: Page, href: string) =>
  page.evaluate((to) => {
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, href)

/** Opens every list in a page of its own context and returns the figures that differ from the list's total. */
async function differences(context: BrowserContext, figures: readonly Figure[]) {
  const counted = figures.filter(({ count }) => count !== undefined)
  const waiting = [...Map.groupBy(counted, ({ href }) => href)]
  const found: string[] = []
  const readAll = async () => {
    const page = await context.newPage()
    let isOpen = false
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [href, links] = next
      await load(page, () => (isOpen ? follow(page, href) : page.goto(href)))
      isOpen = true
      let total: number | undefined
      // The list may still show the rows of the previous address.
      await expect
        .poll(async () => (total = await totalOf(page)))
        .toBe(links[0]?.count)
        .catch(() => undefined)
      for (const { page: place, name, count } of links)
        if (count !== total) found.push(`${place} ${name}: ${count}, list ${total} (${href})`)
    }
    await page.close()
  }
  await Promise.all([readAll(), readAll(), readAll()])
  return found
}

/** Creates a tenant with records and an administrator who has logged in once. */
async function tenantWithRecords(admin: Api, request: APIRequestContext) {
  const { id, account, password } = await openTenant(admin)
  const person: Person = { account, password: CHOSEN, realname: '李管理' }
  const first = await apiOf(request, { ...person, password })
  await first.call('POST', '/api/v1/account/passwd/modify', { oldPswdMd5: md5(password), newPswdMd5: md5(CHOSEN) })
  const { list } = await admin.call<{ list: { uid: number }[] }>('GET', '/api/v1/sys/account/all/page', { account })
  const { deviceId, sns } = await makeTenantRecords(id, list[0]?.uid ?? 0)
  await openStorage(admin, sns)
  return { id, person, deviceId }
}

/** Opens cloud storage on three devices: one is renewed, one is cancelled, and one has two channels. */
async function openStorage(admin: Api, sns: readonly string[]) {
  const terms = { recordType: 1, storageDays: 7, periodType: 1, periodCount: 1, price: 900, channels: 4 }
  const name = fresh('云存')
  const pack = { packageName: name, packageCode: fresh('PK'), ...terms }
  const { id: packageId } = await admin.call<{ id: number }>('POST', '/api/v1/oss/package', pack)
  const open = { packageId, source: 1, amount: 900, reason: '采购' }
  await admin.call('POST', '/api/v1/oss/device/open', { ...open, sns: sns.slice(0, 2) })
  await admin.call('POST', '/api/v1/oss/device/open', { ...open, sns: sns.slice(2), channels: [0, 1] })
  const { list } = await admin.call<{ list: { id: number }[] }>('GET', '/api/v1/oss/device/page', {
    packageId,
    orderByColumn: 'createTime',
    isAsc: 'asc',
  })
  const [first, second] = list
  await admin.call('POST', '/api/v1/oss/device/renew', { ids: [first?.id], reason: '续费' })
  await admin.call('POST', '/api/v1/oss/device/cancel', { ids: [second?.id], reason: '退订' })
}

test("STORAGE-13 every figure that a tenant's administrator sees equals the total of the list that the figure opens", async ({
  page,
  context,
  request,
  login,
  api,
}) => {
  const { person, deviceId } = await tenantWithRecords(await api(), request)
  await login(person)
  const home = (await figuresOf(page, '/indexScreen')).filter(({ count }) => count !== undefined)
  expect(home.map(({ name }) => name.replaceAll(/[\d,]/g, '').trim())).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^设备/),
      '在线',
      '离线',
      '未激活',
      'App账号',
      '待处理工单',
      '剩余证书',
      '账号',
      '最近操作',
    ]),
  )
  const statistics = await figuresOf(page, '/AfterService/StatisticAnalysis')
  expect(unnamed(statistics)).toEqual(['平均首次响应', '平均解决', '按时完成率'])
  const licenses = await figuresOf(page, '/LicenseManage/StatisticalAnalysis')
  expect(unnamed(licenses)).toEqual([])
  const storage = await figuresOf(page, '/ossManage/ossStatisticalAnalysis')
  expect(unnamed(storage)).toEqual(['本月净收入¥', '已用空间', '开通率', '今日上传'])
  expect(storage.length).toBeGreaterThan(12)
  const named = storage.map(({ name }) => name.replaceAll(/[\d,\s]/g, ''))
  expect(named).toEqual(expect.arrayContaining(['待生效', '已暂停']))
  const device = await figuresOf(page, `/device/apkManage/detail/${deviceId}`)
  expect(device).toEqual([])
  expect(await differences(context, [...home, ...statistics, ...licenses, ...storage])).toEqual([])
})

/** Rows of the tenant in the list of each block. */
const ROWS = { 设备: 5, 授权: 5, 云存储: 5, 语音套餐: 0, 售后工单: 6, 账号: 1, 登录: 1, 加入申请: 0, App账号: 0 }

test("STORAGE-13 every figure on the tenant page and in a tenant's statistics equals the total of the linked list", async ({
  page,
  context,
  request,
  login,
  api,
}) => {
  const { id } = await tenantWithRecords(await api(), request)
  await login()
  const overview = await figuresOf(page, `/tenantManage/tenant/overview/${id}`)
  expect(unnamed(overview).toSorted()).toEqual(
    Object.keys(ROWS)
      .map((title) => `查看全部${title}查看全部`)
      .toSorted(),
  )
  const lists = overview.map((link) => {
    const rows = Object.entries(ROWS).find(([title]) => link.name === `查看全部${title}查看全部`)
    return rows ? { ...link, count: rows[1] } : link
  })
  const licenses = await figuresOf(page, `/LicenseManage/StatisticalAnalysis?tenantId=${id}`)
  // The stock belongs to the vendor. Other journeys change it.
  const own = licenses.filter(({ href }) => href.includes(`tenantId=${id}`))
  expect(own.length).toBeGreaterThan(15)
  const storage = await figuresOf(page, `/ossManage/ossStatisticalAnalysis?tenantId=${id}`)
  expect(storage.filter(({ href }) => !href.includes(`tenantId=${id}`))).toEqual([])
  expect(await differences(context, [...lists, ...own, ...storage])).toEqual([])
})

const unnamed = (figures: readonly Figure[]) =>
  figures.flatMap(({ name, count }) => (count === undefined ? [name.replace(/[\d-].*$/, '').trim()] : []))
