// Measures the first figures of the home page relative to its requests, and the big screen's heap over 10,000
// refreshes, with demo data.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type Browser, type CDPSession, chromium, type Page } from '@playwright/test'
import { isMain } from '../lib/main.ts'
import { startProduct } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'

const PORT = 18_251
const ORIGIN = `http://127.0.0.1:${PORT}`
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)
const ROUNDS = 5
const WARM = 300
const REFRESHES = 10_000

export async function run() {
  const product = await startProduct({ port: PORT, env: { OMS_DEMO: 'on' } })
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const browser = await chromium.launch({ ...(CHROMIUM && { executablePath: CHROMIUM }), args })
  try {
    await firstFigures(browser)
    await wallHeap(browser)
  } finally {
    await browser.close()
    await product.stop()
  }
}

/** Opens a page with the demo account's session, without the login page. */
async function demoPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'zh-CN' })
  const pswdMd5 = createHash('md5').update('Demo-2026').digest('hex')
  const form = { account: 'demo', pswdMd5 }
  const reply = await context.request.post(`${ORIGIN}/api/v1/account/login`, {
    form,
    headers: { 'x-client': 'console' },
  })
  const { data } = (await reply.json()) as { data: Record<string, string | number | null> }
  const { token, uid, account, ownerId, ownerName } = data
  const entries = Object.entries({ token, uid, account, ownerId: ownerId ?? '', ownerName, mustChange: '' })
  await context.addCookies(
    entries.map(([key, value]) => ({ name: `oms_${key}`, value: encodeURIComponent(String(value)), url: ORIGIN })),
  )
  return context.newPage()
}

/** Returns the time from the visible menu to the first visible figure, in units of one request of the home page. */
async function firstFigures(browser: Browser) {
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const page = await demoPage(browser)
    await page.addInitScript(watchSights)
    await page.goto(`${ORIGIN}/indexScreen`)
    await page.waitForFunction(() => Boolean((globalThis as unknown as Sights).figure))
    const asked = () =>
      performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/home/')).length
    await page.waitForFunction(asked)
    await page.waitForTimeout(1000)
    const seen = await page.evaluate(() => {
      const { shell = 0, figure = 0 } = globalThis as unknown as Sights
      const calls = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/home/'))
      return { waited: Math.max(0, figure - shell), calls: calls.map(({ duration }) => duration) }
    })
    ratios.push(seen.waited / median(seen.calls))
    await page.context().close()
  }
  const name = 'first figure after the shell ÷ one request of the home page'
  print({ name, value: median(ratios), unit: '×', bar: 2, better: 'less' })
}

interface Sights {
  shell?: number
  figure?: number
}

/** Runs in the page before its own code: records when the menu and the first figure appear. */
function watchSights() {
  const sights = globalThis as unknown as Sights
  const look = () => {
    if (!sights.shell && document.querySelector('aside nav a')) sights.shell = performance.now()
    const value = document.querySelector('.home-value')?.textContent ?? ''
    if (!sights.figure && /\d/.test(value)) sights.figure = performance.now()
    if (!sights.figure) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

interface Wall {
  refreshes: number
}

/** Returns the growth of the big screen's heap in MB after 10,000 refreshes of its four panels at maximum speed. */
async function wallHeap(browser: Browser) {
  const page = await demoPage(browser)
  const cdp = await page.context().newCDPSession(page)
  await page.addInitScript(replayAnswers)
  await page.goto(`${ORIGIN}/bigScreen`)
  await until(page, WARM)
  const before = await heap(cdp)
  await until(page, WARM + REFRESHES)
  const after = await heap(cdp)
  remark(`heap ${before.toFixed(1)} MB, then ${after.toFixed(1)} MB`)
  const name = `heap of the big screen after ${REFRESHES} refreshes`
  print({ name, value: after - before, unit: 'MB more', bar: 10, better: 'less' })
  await page.context().close()
}

const until = (page: Page, refreshes: number) =>
  page.waitForFunction((count) => (globalThis as unknown as Wall).refreshes >= count, refreshes, {
    timeout: 600_000,
    polling: 500,
  })

/** Runs in the page before its own code: skips timers and repeats the first response of every panel. */
function replayAnswers() {
  const wall = globalThis as unknown as Wall
  wall.refreshes = 0
  const bodies = new Map<string, string>()
  const ask = globalThis.fetch.bind(globalThis)
  globalThis.fetch = async (input, init) => {
    const url = String(input instanceof Request ? input.url : input)
    if (!url.includes('/home/screen/')) return ask(input, init)
    if (url.includes('/screen/fleet')) wall.refreshes += 1
    const known = bodies.get(url)
    if (known !== undefined) return new Response(known, { headers: { 'content-type': 'application/json' } })
    const reply = await ask(input, init)
    bodies.set(url, await reply.clone().text())
    return reply
  }
  // Clears Playwright's record of requests: 40,000 requests would count as a leak of the page.
  AbortSignal.timeout = () => new AbortController().signal
  const later = globalThis.setTimeout
  const MINUTE = 60_000
  globalThis.setTimeout = ((run: () => void, ms = 0, ...rest: unknown[]) =>
    later(run, ms === MINUTE ? 0 : ms, ...rest)) as typeof setTimeout
}

async function heap(cdp: CDPSession) {
  await cdp.send('HeapProfiler.collectGarbage')
  const { usedSize } = await cdp.send('Runtime.getHeapUsage')
  return usedSize / 1_000_000
}

if (isMain(import.meta)) await run()
