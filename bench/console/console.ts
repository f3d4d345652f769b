/// <reference lib="dom" />
// Measures the console on a slow connection: 1.6 Mbit/s, 150 ms round trips, and a CPU slowed down four times.
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from '@playwright/test'
import { BARE, startFront } from '../lib/front.ts'
import { isMain } from '../lib/main.ts'
import { startProduct } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'

const PORT = 18_381
const FRONT = 18_382
const ROUNDS = 5
/** Approximate bytes transferred up to the first list: scripts, styles, document, responses. */
const LIST_BYTES = 365_000
const PASSWORD = 'Bench-admin-5'
const LISTS = ['/upgrade/ota', '/system/manager'] as const
const SLOW = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)

interface Visit {
  readonly page: Page
  readonly cdp: CDPSession
  /** Transferred bytes of scripts, and the number of files. */
  readonly scripts: { bytes: number; files: number }
}

const URL_OF = `https://127.0.0.1:${FRONT}`

async function visit(context: BrowserContext): Promise<Visit> {
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Network.enable')
  await cdp.send('Page.enable')
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: WATCH })
  const scripts = { bytes: 0, files: 0 }
  const wanted = new Map<string, number>()
  cdp.on('Network.responseReceived', ({ requestId, response }) => {
    // A preloaded file is requested again but served from the cache without a transfer.
    if (response.fromDiskCache || !new URL(response.url).pathname.endsWith('.js')) return
    wanted.set(requestId, Number(response.headers['content-length'] ?? Number.NaN))
  })
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (!wanted.has(requestId) || encodedDataLength === 0) return
    scripts.bytes += wanted.get(requestId) ?? Number.NaN
    scripts.files += 1
  })
  await cdp.send('Network.emulateNetworkConditions', SLOW)
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  return { page, cdp, scripts }
}

const fresh = (browser: Browser) => browser.newContext({ locale: 'zh-CN', viewport: { width: 1440, height: 900 } })

/** Conditions measured by a script inside the page. */
const READY = {
  login: () => document.activeElement?.id === 'account',
  home: () => Boolean(document.querySelector('.home-blocks > *') && document.querySelector('aside nav a')),
  list: () =>
    Boolean(document.querySelector('.kit-search') && document.querySelector('.kit-card > .ant-empty, .ant-table-row')),
}
type Ready = keyof typeof READY

/**
 * Runs in every page before its own code and records the first frame in which each condition is true. Playwright's
 * own waiting would inject hundreds of kilobytes of code, whose compilation would distort the measurement.
 */
const WATCH = `{
  const wanted = { ${Object.entries(READY)
    .map(([name, holds]) => `${name}: ${String(holds)}`)
    .join(', ')} }
  const seen = (window.benchSeen = {})
  const look = () => {
    for (const name in wanted) if (!(name in seen) && wanted[name]()) seen[name] = performance.now()
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}`

/**
 * Returns the milliseconds from the start of the navigation to the first frame with the condition, by the page's
 * clock.
 */
async function untilReady({ cdp }: Visit, ready: Ready) {
  const expression = `window.benchSeen?.${ready}`
  for (const since = performance.now(); performance.now() - since < 60_000; ) {
    const { result } = await cdp.send('Runtime.evaluate', { expression, returnByValue: true })
    if (typeof result.value === 'number') return result.value
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error(`${ready} was not there after a minute`)
}

async function usable(visitor: Visit, path: string, ready: Ready) {
  await visitor.page.goto(`${URL_OF}${path}`, { waitUntil: 'commit' })
  return untilReady(visitor, ready)
}

async function logIn(visitor: Visit, to: Ready = 'home') {
  const { page } = visitor
  await page.fill('#account', 'admin')
  await page.fill('#pswd', PASSWORD)
  await page.click('#go')
  await untilReady(visitor, to)
}

interface Round {
  bare: number
  bytes: number
  login: number
  home: number
  list: number
  toList: number[]
  files: number[]
}

/**
 * Measures the login page, then the home page and a list with an empty cache each, then login to list in one session.
 */
async function round(browser: Browser): Promise<Round> {
  const [bare, bytes] = [await alone(browser, BARE), await alone(browser, `${BARE}?${LIST_BYTES}`)]
  const context = await fresh(browser)
  const first = await visit(context)
  const login = await usable(first, '/login', 'login')
  await logIn(first)
  const cookies = await context.cookies()
  // Closes the page, because an open page continues to send requests and to render.
  await context.close()
  const signed = async (path: string, ready: Ready) => {
    const other = await fresh(browser)
    await other.addCookies(cookies)
    const time = await usable(await visit(other), path, ready)
    await other.close()
    return time
  }
  const home = await signed('/indexScreen', 'home')
  const list = await signed(LISTS[0], 'list')
  const whole = []
  for (const path of LISTS) whole.push(await loginToList(browser, path))
  return {
    bare,
    bytes,
    login,
    home,
    list,
    toList: whole.map(({ bytes }) => bytes),
    files: whole.map(({ files }) => files),
  }
}

async function alone(browser: Browser, path: string) {
  const context = await fresh(browser)
  const time = await usable(await visit(context), path, 'login')
  await context.close()
  return time
}

async function loginToList(browser: Browser, path: string) {
  const context = await fresh(browser)
  const visitor = await visit(context)
  await usable(visitor, `/login?redirect=${encodeURIComponent(path)}`, 'login')
  await logIn(visitor, 'list')
  const seen = { ...visitor.scripts }
  await context.close()
  return seen
}

/** Measures switching between two open tabs, and opening a page with loaded code: click to the first frame. */
async function switches(browser: Browser) {
  const context = await fresh(browser)
  const visitor = await visit(context)
  const { page, cdp } = visitor
  await usable(visitor, '/login', 'login')
  await logIn(visitor)
  await cdp.send('Network.emulateNetworkConditions', {
    ...SLOW,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  })
  await open(page, '/system/manager')
  const times: number[] = []
  for (let turn = 0; turn < ROUNDS * 2; turn++) times.push(await switchTab(page, turn % 2 === 0 ? '首页' : '用户管理'))
  const heap = await heapGrowth(page, cdp)
  await context.close()
  return { median: median(times), heap }
}

async function open(page: Page, path: string) {
  await page.evaluate((to) => (history.pushState({}, '', to), dispatchEvent(new PopStateEvent('popstate'))), path)
  await page.waitForSelector('.page:not([style*="none"]) .kit-search')
  await page.waitForTimeout(300)
}

function switchTab(page: Page, name: string) {
  return page.evaluate(
    (title) =>
      new Promise<number>((done) => {
        const tabs = [...document.querySelectorAll<HTMLElement>('[role=tab]')]
        const tab = tabs.find((each) => each.textContent?.includes(title))
        const begun = performance.now()
        tab?.click()
        const look = () =>
          tab?.getAttribute('aria-selected') === 'true' ? done(performance.now() - begun) : requestAnimationFrame(look)
        requestAnimationFrame(look)
      }),
    name,
  )
}

/** Returns the growth of the page's heap in MB after opening and closing 200 tabs. */
async function heapGrowth(page: Page, cdp: CDPSession) {
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  const held = async () => {
    await cdp.send('HeapProfiler.collectGarbage')
    const { usedSize } = await cdp.send('Runtime.getHeapUsage')
    return usedSize / 1_000_000
  }
  await openAndClose(page, 10)
  const before = await held()
  await openAndClose(page, 200)
  return (await held()) - before
}

async function openAndClose(page: Page, times: number) {
  for (let turn = 0; turn < times; turn++) {
    const path = turn % 2 ? '/account/profile' : '/upgrade/ota'
    await page.evaluate((to) => (history.pushState({}, '', to), dispatchEvent(new PopStateEvent('popstate'))), path)
    const tab = page.getByRole('tab', { name: turn % 2 ? '编辑资料' : '设备固件' })
    await tab.click({ button: 'middle' })
    await tab.waitFor({ state: 'detached' })
  }
}

/** Measures the console in Chromium with the slow profile. */
export async function run() {
  const product = await startProduct({ port: PORT })
  const proxy = await startFront({ from: FRONT, onto: PORT })
  const trust = `--ignore-certificate-errors-spki-list=${proxy.trusted}`
  const args = [trust, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
  const browser = await chromium.launch({ ...(CHROMIUM && { executablePath: CHROMIUM }), args })
  try {
    const rounds: Round[] = []
    for (let turn = 0; turn < ROUNDS; turn++) rounds.push(await round(browser))
    const seconds = (pick: (each: Round) => number) => median(rounds.map(pick)) / 1000
    const less = { unit: 's', better: 'less' } as const
    remark(
      '1.6 Mbit/s, 150 ms, 4× CPU, cold cache, brotli over h2 (the product speaks HTTP/1.1; h2 is a front of this bench)',
    )
    const floor = [seconds((each) => each.bare), seconds((each) => each.bytes)].map((each) => each.toFixed(2))
    remark(
      `here a page of one field alone takes ${floor[0]} s, and with ${LIST_BYTES / 1000} KB of idle script ${floor[1]} s`,
    )
    print({ name: 'login usable', value: seconds(({ login }) => login), bar: 0.5, ...less })
    print({ name: 'home usable', value: seconds(({ home }) => home), bar: 2.0, ...less })
    print({ name: 'first list usable', value: seconds(({ list }) => list), bar: 2.8, ...less })
    for (const [at, path] of LISTS.entries()) {
      const value = median(rounds.map(({ toList }) => toList[at]!)) / 1000
      print({ name: `JS from login to ${path}`, value, unit: 'KB', bar: 320, better: 'less' })
      remark(`in ${median(rounds.map(({ files }) => files[at]!))} files`)
    }
    const { median: time, heap } = await switches(browser)
    print({ name: 'cached route switch at 4× CPU', value: time, unit: 'ms', bar: 100, better: 'less' })
    print({ name: 'heap after 200 tabs opened and closed', value: heap, unit: 'MB more', bar: 10, better: 'less' })
  } finally {
    await browser.close()
    proxy.server.close()
    await product.stop()
  }
}

if (isMain(import.meta)) await run()
