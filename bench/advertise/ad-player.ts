/// <reference lib="dom" />
// Measures the web player in Chromium: the time between the planned and the shown change of images and texts, and lost plays.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { loadavg } from 'node:os'
import type { Manifest } from '@oms/contract/advertise/engine/manifest.ts'
import { listSlotsBetween } from '@oms/contract/advertise/engine/playing.ts'
import { chromium, type Page } from '@playwright/test'
import { png } from '../../e2e/advertise/ad-manifest.ts'
import { ask } from '../lib/console.ts'
import { psql, TOKEN } from '../lib/fleet.ts'
import { isMain } from '../lib/main.ts'
import { type Product, startProduct } from '../lib/product.ts'
import { median, print, remark } from '../lib/report.ts'

const MINUTES = Number(process.env.BENCH_MINUTES ?? 10)
const ADS = 6
const MS = 4000
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)
/** Longest time until the player has sent its plays: the interval of its reports with a reserve. */
const REPORT_MS = 90_000
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

export async function run() {
  const product = await startProduct({ port: 18_341, env: { OMS_AD_POLL_SECONDS: '5' } })
  const args = ['--no-sandbox', '--disable-dev-shm-usage']
  const browser = await chromium.launch({ ...(CHROMIUM && { executablePath: CHROMIUM }), args })
  try {
    await fill(product)
    const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } })
    await page.addInitScript(WATCH)
    await page.goto(`${product.url}/player/#sn=SCREEN&token=${TOKEN}`)
    await page.waitForSelector('.layer-shown', { timeout: 120_000 })
    const from = Date.now()
    await pause(MINUTES * 60_000)
    await measure(product, page, { from, to: Date.now() })
  } finally {
    await browser.close()
    await product.stop()
  }
}

/** Records the first frame of each shown layer. The page itself has no such hook. */
const WATCH = `{
  const changes = (window.changes = [])
  let last
  new MutationObserver(() => {
    const shown = document.querySelector('.layer-shown')
    if (!shown || shown === last) return
    last = shown
    requestAnimationFrame(() => changes.push(Date.now()))
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['class'] })
}`

/** Uploads an image for every second ad, and publishes a program of all ads to one screen. */
async function fill(product: Product) {
  const ticket = await product.login()
  const token = createHash('sha256').update(TOKEN).digest('hex')
  psql(product, `insert into device_types (type_name, type_code) values ('bench', 'bench')`)
  psql(product, `insert into device_models (type_id, model_name, model_code) values (1, 'b', 'B')`)
  psql(product, `insert into devices (tenant_id, model_id, sn, token_hash) values (1, 1, 'SCREEN', '\\x${token}')`)
  for (let ad = 1; ad <= ADS; ad++) {
    const isImage = ad % 2 === 1
    const files = isImage ? [await upload(product, ticket, ad)] : []
    const text = { content: `文字 ${ad}`, fontSize: 160, color: '#ffffff', background: '#1d3b8b', align: 'center' }
    const dates = { validFrom: null, validTo: null, approvalUntil: null, linkUrl: null }
    const shown = isImage ? { type: 1, text: null } : { type: 4, text: { ...text, scroll: false, speed: 3 } }
    const body = JSON.stringify({ id: ad, verNo: 1, name: `A${ad}`, ...dates, ...shown, files })
    psql(
      product,
      `insert into ads (id, tenant_id, ad_name, ad_type, ver_no, approved_ver, audit_status) values (${ad}, 1, 'A${ad}', ${shown.type}, 1, 1, 2);
       insert into ad_versions (ad_id, ver_no, tenant_id, content_hash, submit_by, audit_status, body) values (${ad}, 1, 1, '', 1, 2, '${body}')`,
    )
  }
  const limits = { weight: 1, maxPlaysPerHour: 0, from: null, to: null, transition: 0 }
  const items = Array.from({ length: ADS }, (_, at) => ({ id: at + 1, adId: at + 1, ms: MS, ...limits }))
  const rules = { publishedAt: 1, playMode: 1, priority: 0, insertMode: 0, share: null, weekdays: 127, dayParts: [] }
  const dates = { dateFrom: '2020-01-01', dateTo: '2099-12-31', fallback: 0 }
  const body = JSON.stringify({ id: 1, verNo: 1, name: 'P', ...rules, ...dates, items })
  psql(
    product,
    `insert into ad_program_versions (program_id, ver_no, tenant_id, body, target_type, target_ids, state, publish_by)
       values (1, 1, 1, '${body}', 1, '{1}', 2, 1);
     insert into ad_programs (tenant_id, program_name, date_from, date_to, target_type, target_ids, ver_no, published_ver, status)
       values (1, 'P', '2020-01-01', '2099-12-31', 1, '{1}', 1, 1, 2)`,
  )
}

/** Uploads an image. Returns the entry of the file in a manifest. */
async function upload(product: Product, ticket: string, ad: number) {
  const bytes = png(1920, 1080, [40 * ad, 90, 200 - 20 * ad])
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const form = new FormData()
  form.set('purpose', 'adImage')
  form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'image.png')
  await ask(product, ticket, ['POST', '/api/v1/advertise/ad/upload'], form)
  const size = { size: bytes.length, mime: 'image/png', width: 1920, height: 1080 }
  return { materialId: ad, sha256, ...size, codec: '', chunks: [sha256] }
}

async function measure(product: Product, page: Page, { from, to }: { from: number; to: number }) {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const reply = await fetch(`${product.url}/device/v1/ad/manifest/SCREEN`, { headers })
  const manifest = (await reply.json()) as Manifest
  const slots = [...listSlotsBetween(manifest, from, to)].slice(1, -1)
  const changes = await page.evaluate(() => (window as unknown as { changes: number[] }).changes)
  const late = slots.map(({ start }) => Math.min(...changes.map((at) => Math.abs(at - start))))
  remark(
    `load of the machine ${loadavg()[0]!.toFixed(1)}; ${slots.length} changes in ${MINUTES} minutes, median ${median(late)} ms`,
  )
  print({
    name: 'change of a still, furthest from its plan',
    value: Math.max(...late),
    unit: 'ms',
    bar: 100,
    better: 'less',
  })
  const counts = () => psql(product, 'select start_ms from ad_plays').split('\n').map(Number)
  const wrong = () => {
    const starts = counts()
    return slots.filter(
      ({ start, ms }) => starts.filter((at) => at >= start - 100 && at < start + ms - 100).length !== 1,
    )
  }
  for (const since = Date.now(); wrong().length > 0 && Date.now() - since < REPORT_MS; ) await pause(2000)
  print({ name: 'plays that are lost or stored twice', value: wrong().length, unit: '', bar: 0, better: 'less' })
}

if (isMain(import.meta)) await run()
