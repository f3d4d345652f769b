/// <reference lib="dom" />
// The console as a visitor on a slow line sees it: 1.6 Mbit/s, 150 ms round trips, a processor four times slower.
import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import { request as ask } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from '@playwright/test'
import { isMain } from './lib/main.ts'
import { startProduct } from './lib/product.ts'
import { median, print, remark } from './lib/report.ts'

const PORT = 18_381
const FRONT = 18_382
const ROUNDS = 5
const PASSWORD = 'Bench-admin-5'
const LISTS = ['/upgrade/ota', '/system/manager'] as const
const SLOW = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)

interface Visit {
  readonly page: Page
  readonly cdp: CDPSession
  /** Bytes of scripts as they travelled, and how many files. */
  readonly scripts: { bytes: number; files: number }
}

/** HTTP/2 before the product, as a reverse proxy gives it; the certificate lives as long as the run. */
async function front() {
  const folder = mkdtempSync(join(tmpdir(), 'oms-cert-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-days', '1', '-nodes']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-keyout', key, '-out', cert, ...subject], {
    stdio: 'ignore',
  })
  const pem = readFileSync(cert)
  const spki = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' })
  const server = createSecureServer({ key: readFileSync(key), cert: pem })
  rmSync(folder, { recursive: true })
  server.on('stream', (stream, headers) => {
    const fields = Object.entries(headers).filter(([name]) => !name.startsWith(':'))
    const onward = ask(
      {
        port: PORT,
        method: String(headers[':method']),
        path: String(headers[':path']),
        // A browser may split its cookies over several fields; HTTP/1 knows one.
        headers: { ...Object.fromEntries(fields), cookie: [headers.cookie ?? []].flat().join('; ') },
      },
      (reply) => {
        const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...kept } = reply.headers
        if (stream.closed) return
        stream.respond({ ':status': reply.statusCode ?? 502, ...kept })
        reply.pipe(stream)
      },
    )
    onward.on('error', () => stream.close())
    stream.on('error', () => onward.destroy()).on('close', () => onward.destroy())
    stream.pipe(onward)
  })
  await new Promise<void>((done) => void server.listen(FRONT, '127.0.0.1', done))
  // Trusted by its key: behind a certificate error Chromium would keep no file in its cache.
  return { server, trusted: createHash('sha256').update(spki).digest('base64') }
}

const URL_OF = `https://127.0.0.1:${FRONT}`

async function visit(context: BrowserContext): Promise<Visit> {
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Network.enable')
  const scripts = { bytes: 0, files: 0 }
  const wanted = new Map<string, number>()
  cdp.on('Network.responseReceived', ({ requestId, response }) => {
    // A file that was preloaded is asked for again, and comes from the cache: nothing travels.
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

/** Milliseconds from the start of the navigation until `ready` holds in two frames after one another. */
async function usable(page: Page, path: string, ready: () => boolean) {
  await page.goto(`${URL_OF}${path}`, { waitUntil: 'commit' })
  await page.waitForFunction(ready, undefined, { polling: 'raf', timeout: 60_000 })
  return page.evaluate(() => performance.now())
}

const loginReady = () => document.activeElement?.id === 'account'
const homeReady = () => Boolean(document.querySelector('.home-blocks > *') && document.querySelector('aside nav a'))
const listReady = () =>
  Boolean(document.querySelector('.kit-search') && document.querySelector('.kit-card > .ant-empty, .ant-table-row'))

async function logIn(page: Page) {
  await page.fill('#account', 'admin')
  await page.fill('#pswd', PASSWORD)
  await page.click('#go')
  await page.waitForFunction(homeReady, undefined, { timeout: 60_000 })
}

interface Round {
  login: number
  home: number
  list: number
  toList: number[]
  files: number[]
}

/** One visitor: the login page first; then, each from an empty cache, home and a list; then login to list in one go. */
async function round(browser: Browser): Promise<Round> {
  const context = await fresh(browser)
  const first = await visit(context)
  const login = await usable(first.page, '/login', loginReady)
  await logIn(first.page)
  const cookies = await context.cookies()
  const signed = async (path: string, ready: () => boolean) => {
    const other = await fresh(browser)
    await other.addCookies(cookies)
    const { page } = await visit(other)
    const time = await usable(page, path, ready)
    await other.close()
    return time
  }
  const home = await signed('/indexScreen', homeReady)
  const list = await signed(LISTS[0], listReady)
  await context.close()
  const whole = []
  for (const path of LISTS) whole.push(await loginToList(browser, path))
  return { login, home, list, toList: whole.map(({ bytes }) => bytes), files: whole.map(({ files }) => files) }
}

async function loginToList(browser: Browser, path: string) {
  const context = await fresh(browser)
  const { page, scripts } = await visit(context)
  await usable(page, `/login?redirect=${encodeURIComponent(path)}`, loginReady)
  await page.fill('#account', 'admin')
  await page.fill('#pswd', PASSWORD)
  await page.click('#go')
  await page.waitForFunction(listReady, undefined, { polling: 'raf', timeout: 60_000 })
  const seen = { ...scripts }
  await context.close()
  return seen
}

/** Between two open tabs, and to a page whose code is here: click to the first frame that shows it. */
async function switches(browser: Browser) {
  const context = await fresh(browser)
  const { page, cdp } = await visit(context)
  await usable(page, '/login', loginReady)
  await logIn(page)
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

/** Megabytes the page holds more after 200 tabs were opened and closed. */
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

/** Measures the console in Chromium on the slow profile. */
export async function run() {
  const product = await startProduct({ port: PORT })
  const proxy = await front()
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
    print({ name: 'login usable', value: seconds(({ login }) => login), bar: 0.5, ...less })
    print({ name: 'home usable', value: seconds(({ home }) => home), bar: 2.0, ...less })
    print({ name: 'first list usable', value: seconds(({ list }) => list), bar: 2.8, ...less })
    for (const [at, path] of LISTS.entries()) {
      const value = median(rounds.map(({ toList }) => toList[at]!)) / 1000
      print({ name: `JS from login to ${path}`, value, unit: 'KB', bar: 260, better: 'less' })
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
