import { listSlotsBetween } from '@oms/contract/advertise/engine/playing.ts'
import type { Page } from '@playwright/test'
import { clip, manifestOf, png, text } from './ad-manifest.ts'
import { lines, open, shortenReportInterval, shown, test } from './ad-player.ts'
import { expect } from '../support/fixtures.ts'

test('AD-07 the player downloads a damaged chunk again and joins a file of several chunks', async ({ page, ads }) => {
  const large = ads.file(png(1400, 1100, 'noise'), { width: 1400, height: 1100 })
  expect(large.chunks.length).toBe(2)
  ads.manifest = manifestOf([{ type: 1, files: [large], ms: 5000 }])
  ads.damage = 2
  await open(page, ads)
  await expect(shown(page)).toHaveJSProperty('naturalWidth', 1400)
  expect(ads.media.map(({ range }) => range.split('-')[0])).toEqual([
    'bytes=0',
    'bytes=0',
    'bytes=0',
    `bytes=${4 * 1024 * 1024}`,
  ])
})

/** Changes the last byte of the stored first chunk of a file. */
const damageStored = (page: Page, sha256: string) =>
  page.evaluate(async (file) => {
    const finish = <T>(request: IDBRequest<T>) =>
      new Promise<T>((done, fail) => {
        request.onsuccess = () => done(request.result)
        request.onerror = () => fail(request.error)
      })
    const database = await finish(indexedDB.open('oms-player'))
    const chunks = () => database.transaction('chunks', 'readwrite').objectStore('chunks')
    const stored = await finish<Blob>(chunks().get([file, 0]))
    const data = new Uint8Array(await new Response(stored).arrayBuffer())
    data[data.length - 1]! ^= 1
    await finish(chunks().put(new Blob([data]), [file, 0]))
    database.close()
  }, sha256)
/** Returns the sha256 of the stored first chunk of a file; empty without a chunk. */
const storedHash = (page: Page, sha256: string) =>
  page.evaluate(async (file) => {
    const finish = <T>(request: IDBRequest<T>) =>
      new Promise<T>((done) => (request.onsuccess = () => done(request.result)))
    const database = await finish(indexedDB.open('oms-player'))
    const stored = await finish<Blob | undefined>(database.transaction('chunks').objectStore('chunks').get([file, 0]))
    database.close()
    if (!stored) return ''
    const digest = await crypto.subtle.digest('SHA-256', await new Response(stored).arrayBuffer())
    return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  }, sha256)

test('AD-07 after a restart, the player detects a damaged stored chunk by its hash and downloads it again', async ({
  page,
  ads,
}) => {
  // A decoder ignores bytes after the end of the picture, so only the hash shows that the last byte is damaged.
  const padded = ads.file(Buffer.concat([png(320, 180, [200, 40, 40]), Buffer.alloc(64, 1)]))
  ads.manifest = manifestOf([
    { type: 1, files: [padded], ms: 4000 },
    { ...text('完好'), ms: 4000 },
  ])
  await open(page, ads)
  const downloads = () => ads.media.filter(({ sha256 }) => sha256 === padded.sha256).length
  await expect.poll(() => storedHash(page, padded.sha256)).toBe(padded.sha256)
  expect(downloads()).toBe(1)
  await damageStored(page, padded.sha256)
  expect(await storedHash(page, padded.sha256)).not.toBe(padded.sha256)
  await page.reload()
  await expect.poll(downloads, { timeout: 60_000 }).toBe(2)
  await expect.poll(() => storedHash(page, padded.sha256)).toBe(padded.sha256)
  await expect(page.locator('.layer-shown img.content')).toHaveJSProperty('naturalWidth', 320)
  expect(downloads()).toBe(2)
})

test('AD-07 the player reports and skips a broken video, and pauses the video after three failures', async ({
  page,
  context,
  ads,
}) => {
  await shortenReportInterval(context)
  const whole = clip('vp9')
  const broken = Buffer.concat([whole.subarray(0, 3000), Buffer.alloc(whole.length - 3000, 7)])
  const video = ads.file(broken, { mime: 'video/webm', codec: 'vp9' })
  const noVideo = ads.file(Buffer.alloc(5000, 1), { mime: 'video/webm', codec: 'vp9' })
  ads.manifest = manifestOf([
    { type: 2, files: [noVideo], ms: 4000 },
    { ...text('好的'), ms: 4000 },
    { type: 2, files: [video], ms: 4000 },
  ])
  await open(page, ads)
  await expect(shown(page)).toHaveText('好的')
  const failuresOf = (adId: number) => ads.reports.filter((report) => report.adId === adId && report.result === 3)
  await expect.poll(() => failuresOf(101).length, { timeout: 120_000 }).toBe(3)
  expect(failuresOf(101)[0]).toMatchObject({ ms: 0, error: 'codec' })
  await expect
    .poll(() => ads.statuses.at(-1)?.['failed'], { timeout: 60_000 })
    .toContainEqual({ sha256: noVideo.sha256, reason: 'play' })
  await expect(shown(page)).toHaveText('好的')
})

test('AD-07 a file that does not fit into the storage is reported as failed, and the other ads play', async ({
  page,
  ads,
}) => {
  const large = ads.file(png(1400, 1100, 'noise'), { width: 1400, height: 1100 })
  ads.manifest = manifestOf([
    { type: 1, files: [large], ms: 5000 },
    { ...text('放得下'), ms: 5000 },
  ])
  const session = await page.context().newCDPSession(page)
  await session.send('Storage.overrideQuotaForOrigin', { origin: ads.origin, quotaSize: 2_000_000 })
  await page.goto(`${ads.origin}/player/#sn=SCR-1&token=player-token`)
  await expect(shown(page)).toHaveText('放得下')
  await expect
    .poll(() => ads.statuses.at(-1)?.['failed'], { timeout: 40_000 })
    .toEqual([{ sha256: large.sha256, reason: 'quota' }])
  await expect(shown(page)).toHaveText('放得下')
  await session.send('Storage.overrideQuotaForOrigin', { origin: ads.origin })
})

test('AD-07 a program plays its earlier file when its only new file does not fit, and the reason is reported', async ({
  page,
  ads,
}) => {
  const small = ads.file(png(320, 180, [40, 90, 200]))
  ads.manifest = manifestOf([{ type: 1, files: [small], ms: 5000 }])
  const session = await page.context().newCDPSession(page)
  await session.send('Storage.overrideQuotaForOrigin', { origin: ads.origin, quotaSize: 2_000_000 })
  await page.goto(`${ads.origin}/player/#sn=SCR-1&token=player-token`)
  await expect(shown(page)).toHaveJSProperty('naturalWidth', 320)
  const large = ads.file(png(1400, 1100, 'noise'), { width: 1400, height: 1100 })
  ads.manifest = manifestOf([{ type: 1, files: [large], ms: 5000 }], { verNo: 5 })
  const reported = () => ads.statuses.at(-1)?.['failed']
  await expect.poll(reported, { timeout: 60_000 }).toEqual([{ sha256: large.sha256, reason: 'quota earlier' }])
  await expect(shown(page)).toHaveJSProperty('naturalWidth', 320)
  await session.send('Storage.overrideQuotaForOrigin', { origin: ads.origin })
})

test('AD-07 a play is reported once when the page crashes during the play', async ({ page, context, ads }) => {
  await shortenReportInterval(context)
  ads.manifest = manifestOf([{ ...text('长'), ms: 20_000 }])
  await open(page, ads)
  await expect(shown(page)).toHaveText('长')
  const slotAt = (instant: number) => [...listSlotsBetween(ads.manifest!, instant, instant + 1)][0]!
  // The plays of a program begin at fixed times. The crash needs a play with enough time left.
  await expect.poll(() => slotAt(Date.now()).start + 20_000 - Date.now()).toBeGreaterThan(10_000)
  await page.waitForTimeout(6000)
  const crashed = slotAt(Date.now()).start
  const session = await context.newCDPSession(page)
  session.send('Page.crash').catch(() => undefined)
  await page.waitForEvent('crash')
  const next = await context.newPage()
  await next.goto(`${ads.origin}/player/`)
  await expect(shown(next)).toHaveText('长')
  const ofCrashed = () => ads.reports.filter(({ start }) => slotAt(start).start === crashed)
  await expect.poll(() => ofCrashed().length, { timeout: 60_000 }).toBeGreaterThanOrEqual(1)
  await next.waitForTimeout(3000)
  const slots = ads.reports.map(({ start }) => slotAt(start).start)
  expect(new Set(slots).size).toBe(slots.length)
  // The player notes the time played every two seconds, by timers that a loaded machine delays.
  expect(ofCrashed()[0]!.ms).toBeGreaterThan(3000)
})

test('AD-07 a second player window shows a message, and plays when the first window closes', async ({
  page,
  context,
  ads,
}) => {
  ads.manifest = manifestOf(lines)
  await open(page, ads)
  await expect(shown(page)).toHaveText(/[甲乙丙]/)
  const second = await context.newPage()
  await second.goto(`${ads.origin}/player/`)
  await expect(second.getByText('本机已有播放窗口')).toBeVisible()
  await page.close()
  await expect(shown(second)).toHaveText(/[甲乙丙]/)
  await expect(second.getByText('本机已有播放窗口')).toBeHidden()
})

test('AD-07 the player corrects a system clock that is three years behind, also after a restart offline', async ({
  page,
  context,
  ads,
}) => {
  const YEARS = 3 * 365 * 86_400_000
  const manifest = manifestOf(lines)
  ads.manifest = manifest
  await page.clock.install({ time: Date.now() - YEARS })
  await open(page, ads)
  await expect(shown(page)).toHaveText(/[甲乙丙]/)
  await page.clock.runFor(70_000)
  await expect.poll(() => ads.reports.length).toBeGreaterThan(3)
  const last = ads.reports.slice(-3)
  expect(last.map(({ clock }) => clock)).toEqual([2, 2, 2])
  expect(Math.min(...last.map(({ start }) => start))).toBeGreaterThan(Date.now() - 600_000)

  await ads.stop()
  await page.reload()
  await expect(shown(page)).toHaveText(/[甲乙丙]/)
  await page.clock.runFor(30_000)
  await page.close()
  // The battery of the clock is empty: the system starts years before the last stored moment.
  const next = await context.newPage()
  await next.clock.install({ time: Date.now() - 2 * YEARS })
  await next.goto(`${ads.origin}/player/`)
  await expect(shown(next)).toHaveText(/[甲乙丙]/)
  const count = ads.reports.length
  await next.clock.runFor(60_000)
  await ads.start()
  await next.clock.runFor(60_000)
  await expect.poll(() => ads.reports.slice(count).filter(({ clock }) => clock === 0).length).toBeGreaterThan(3)
  const [slot] = listSlotsBetween(manifest, Date.now(), Date.now() + 1)
  expect(slot?.ad).not.toBeNull()
})

test('AD-07 a covered player page reports only the visible time and shows a note in its title', async ({
  page,
  context,
  ads,
}) => {
  await shortenReportInterval(context)
  ads.manifest = manifestOf([{ ...text('遮挡'), ms: 8000 }])
  await open(page, ads)
  await expect(shown(page)).toHaveText('遮挡')
  await expect(page).toHaveTitle('广告播放')
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  const from = Date.now()
  await expect(page).toHaveTitle('页面被遮挡')
  const covered = () => ads.reports.filter(({ start }) => start > from)
  await expect.poll(() => covered().length, { timeout: 90_000 }).toBeGreaterThan(0)
  expect(covered()[0]).toMatchObject({ result: 2, ms: 0 })
})
