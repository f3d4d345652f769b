// Photographs the routes of a running product in four windows, and writes a page that shows the pictures side by side.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { screens } from '../apps/console/src/app/screens.ts'
import { browserEnv } from './browser.mjs'
import { at, say } from './runtime.mjs'

const { values: options } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8080' },
    account: { type: 'string', default: 'demo' },
    password: { type: 'string', default: 'Demo-2026' },
    out: { type: 'string', default: at('.cache/shots') },
    /** Regular expression that paths or titles must match. */
    only: { type: 'string', default: '' },
    /** Names of windows, separated by commas. */
    sizes: { type: 'string', default: 'light,dark,1280,390' },
    /** `failing`: every list and figure answers with an error. `loading`: none answers. */
    state: { type: 'string', default: 'full' },
    /** Photographs whole pages instead of the first window. */
    full: { type: 'boolean', default: false },
    /** Writes the pictures of the guides to docs/help/pictures instead. */
    pictures: { type: 'boolean', default: false },
  },
})

const WINDOWS = {
  light: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  1280: { viewport: { width: 1280, height: 720 }, colorScheme: 'light' },
  390: { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true, isMobile: true },
}
const names = options.sizes.split(',').filter((name) => Object.hasOwn(WINDOWS, name))
if (names.length === 0) throw new Error(`--sizes 应为 ${Object.keys(WINDOWS).join('、')} 中的几个`)

/** Pages without a session, and pages that no screen declares. */
const OPEN = [
  { path: '/login', title: '登录' },
  { path: '/reg/index', title: '注册账号' },
  { path: '/resetPwd/index', title: '重置密码' },
  { path: '/help', title: '帮助' },
].map((page) => ({ ...page, isOpen: true }))
const OTHERS = [...OPEN, { path: '/no-such-page', title: '404' }]

/** Pictures of the guides by the path of the photographed screen. */
const PICTURES = {
  start: '/indexScreen',
  tenant: '/tenantManage/tenant',
  device: '/device/apkManage',
  upgrade: '/upgrade/ota/release/:id',
  license: '/LicenseManage/ConsentManage',
  ticket: '/AfterService/Questions/Pendding',
  storage: '/ossManage/deviceList',
  advertise: '/advertiseManage/adList',
  agent: '/agent/agent/detail/:id',
  account: '/system/rolemanagement',
  system: '/system/operLog',
}

/** Calls that a page needs before it shows anything. */
const SESSION = /\/api\/v1\/sys\/(account|dict|menu)|preference|\/login/

const { E2E_CHROMIUM: executablePath } = await browserEnv()
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
const browser = await chromium.launch({ executablePath, args })
try {
  const session = await logIn()
  if (options.pictures) await drawPictures(session)
  else await photographAll(session)
} finally {
  await browser.close()
}

async function photographAll(session) {
  const wanted = new RegExp(options.only)
  const pages = [...screens, ...OTHERS].filter(({ path, title }) => wanted.test(path) || wanted.test(title))
  const shown = []
  for (const page of pages) shown.push({ ...page, url: page.isOpen ? page.path : await urlOf(page, session) })
  for (const name of names) await photograph(name, shown, session)
  writeFileSync(join(options.out, 'index.html'), contactSheet(shown))
  say(`${shown.length} 个页面，${names.length} 种窗口：${resolve(options.out, 'index.html')}`)
}

/** Writes the pictures of the guides in the format WebP, which the browser encodes. */
async function drawPictures(session) {
  mkdirSync(at('docs/help/pictures'), { recursive: true })
  const context = await browser.newContext({
    viewport: { width: 1280, height: 760 },
    locale: 'zh-CN',
    reducedMotion: 'reduce',
  })
  await context.addCookies(session.cookies)
  const page = await context.newPage()
  const encoder = await context.newPage()
  for (const [name, path] of Object.entries(PICTURES)) {
    const screen = screens.find((each) => each.path === path)
    await page.goto(options.url + (await urlOf(screen, session)))
    await settled(page)
    const png = await page.screenshot({ animations: 'disabled' })
    const webp = await encoder.evaluate(encodeWebp, `data:image/png;base64,${png.toString('base64')}`)
    writeFileSync(at('docs/help/pictures', `${name}.webp`), Buffer.from(webp, 'base64'))
    say(`docs/help/pictures/${name}.webp`)
  }
}

/** Runs in the browser: returns a picture of at most 60 KB as WebP in base64. */
async function encodeWebp(url) {
  const image = new Image()
  image.src = url
  await image.decode()
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
  canvas.getContext('2d').drawImage(image, 0, 0)
  const encode = (quality) => canvas.toDataURL('image/webp', quality).split(',')[1]
  const limit = (60 * 1024 * 4) / 3
  return [0.8, 0.7, 0.6, 0.5, 0.4].map(encode).find(({ length }) => length <= limit) ?? encode(0.3)
}

/** Signs in like the login page and returns the session: its cookies and the ticket of its calls. */
async function logIn() {
  const context = await browser.newContext({ baseURL: options.url })
  const pswdMd5 = createHash('md5').update(options.password).digest('hex')
  const response = await context.request.post('/api/v1/account/login', {
    form: { account: options.account, pswdMd5 },
    headers: { 'x-client': 'console' },
  })
  const { code, msg, data } = await response.json()
  if (code !== 200) throw new Error(`登录失败：${msg}`)
  const { token, uid, account, ownerId, ownerName, mustChangePassword } = data
  const entries = { token, uid, account, ownerId, ownerName, mustChange: mustChangePassword ? 1 : '' }
  const cookies = Object.entries(entries).map(([key, value]) => ({
    name: `oms_${key}`,
    value: encodeURIComponent(String(value ?? '')),
    url: options.url,
  }))
  await context.addCookies(cookies)
  return { context, ticket: token, cookies: await context.cookies() }
}

/** Returns the URL of a screen. A screen of one record shows the first record of its list. */
async function urlOf({ path, under, identity }, { context, ticket }) {
  const parameter = /:(\w+)/.exec(path)?.[0]
  if (!parameter && !identity) return path
  const list = screens.find((screen) => screen.path === under)
  const call = list?.prefetch?.({ params: {}, query: new URLSearchParams() })[0]?.path
  const headers = { ticket, 'x-client': 'console' }
  const response = await context.request.get(`${call}?pageNum=1&pageSize=20`, { headers })
  const row = (await response.json()).data?.list?.[0] ?? {}
  const id = row.id ?? row.dictId ?? 1
  if (parameter) return path.replace(parameter, String(id))
  return `${path}?${identity[0]}=${encodeURIComponent(identity[0] === 'info' ? JSON.stringify({ id }) : row.uid)}`
}

function fileOf(name, { path }) {
  return join(name, `${path.slice(1).replaceAll(/[^\w-]+/g, '-')}.png`)
}

async function photograph(name, pages, { cookies }) {
  mkdirSync(join(options.out, name), { recursive: true })
  const context = await browser.newContext({ ...WINDOWS[name], locale: 'zh-CN', reducedMotion: 'reduce' })
  if (options.state !== 'full') await context.route('**/api/v1/**', answerFor(options.state))
  const page = await context.newPage()
  for (const one of pages) {
    await (one.isOpen ? context.clearCookies() : context.addCookies(cookies))
    await page.goto(options.url + one.url, { waitUntil: 'load' })
    await settled(page)
    const path = join(options.out, fileOf(name, one))
    await page.screenshot({ path, fullPage: options.full, animations: 'disabled' })
    say(`${name} ${one.url}`)
  }
  await context.close()
}

function answerFor(state) {
  return (route) => {
    if (SESSION.test(route.request().url())) return route.continue()
    if (state === 'loading') return undefined
    return route.fulfill({ status: 500, json: { code: 500, msg: '服务器内部错误', data: { requestId: 'shots' } } })
  }
}

/** Waits until no placeholder of a page that loads is left, and charts are drawn. */
async function settled(page) {
  const busy = '.ant-skeleton, .ant-spin-spinning, .kit-skeleton, [aria-label^="加载中"], [aria-busy="true"]'
  await page.locator('main, form').first().waitFor()
  await page.waitForTimeout(400)
  const isIdle = (selector) => document.querySelectorAll(selector).length === 0
  if (options.state !== 'loading') await page.waitForFunction(isIdle, busy, { timeout: 8000 }).catch(() => {})
  await page.waitForTimeout(500)
}

/** Returns the page that shows every route in a row, with a column for each window. */
function contactSheet(pages) {
  const columns = Object.keys(WINDOWS).filter((name) => existsSync(join(options.out, name)))
  const picture = (name, page) => {
    const file = fileOf(name, page).replaceAll('\\', '/')
    return `<td><a href="${file}"><img loading="lazy" src="${file}" alt="${name}"></a></td>`
  }
  const rows = pages.map(
    (page) =>
      `<tr><th>${page.title}<br><small>${page.url}</small></th>${columns.map((name) => picture(name, page)).join('')}</tr>`,
  )
  const style =
    'body{font:13px sans-serif}th{text-align:left;width:160px}img{max-width:440px;max-height:300px;border:1px solid #ccc}'
  return `<!doctype html><meta charset="utf-8"><title>Shots</title><style>${style}</style><table>${rows.join('\n')}</table>`
}
