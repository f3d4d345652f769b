import { listSlotsBetween } from '@oms/contract/advertise/engine/playing.ts'
import { clip, manifestOf, png, text, tone } from './ad-manifest.ts'
import { lines, open, shortenReportInterval, shown, test } from './ad-player.ts'
import { expect } from '../support/fixtures.ts'

test('AD-07 a screen pairs by code, continues on time after an offline restart, and reports every play once', async ({
  page,
  ads,
}) => {
  const manifest = manifestOf(lines)
  ads.manifest = manifest
  // Far from 04:00, when the page loads itself anew.
  const noon = Date.parse('2026-11-23T12:00:00+08:00')
  ads.offset = noon - Date.now()
  await page.clock.install({ time: noon })
  await page.goto(`${ads.origin}/player/`)
  await expect(page.getByText('请在“广告管理 / 节目单 / 屏幕”中输入配对码')).toBeVisible()
  await expect(page.getByRole('img', { name: '配对码 K 7 M W X 4' })).toBeVisible()
  ads.pairedTo = 'SCR-1'
  await expect(shown(page)).toHaveText(/[甲乙丙]/)
  await page.waitForFunction(() => Boolean(navigator.serviceWorker.controller))
  const now = () => page.evaluate(() => Date.now())
  const planned = (instant: number) => [...listSlotsBetween(manifest, instant, instant + 1)][0]!

  await ads.stop()
  await page.reload()
  await expect(shown(page)).toHaveText(/[甲乙丙]/)
  for (let step = 0; step < 6; step++) {
    await page.clock.runFor(2500)
    const instant = await now()
    const slot = planned(instant)
    const left = slot.start + slot.ms - instant
    // A slot that ends within the call may already be over on the page.
    if (left > 300 && instant - slot.start > 100) expect(await shown(page).textContent()).toBe(slot.ad!.text!.content)
  }
  const from = await now()
  await page.clock.runFor('03:00:00')
  const to = await now()
  expect(to - from).toBeGreaterThan(3 * 3_600_000 - 1)
  expect(ads.reports.length).toBeLessThan(10)

  ads.offset = to - Date.now()
  ads.losesReplies = true
  await ads.start()
  // Small steps: a call takes real time, and its timeout is virtual.
  const received = async () => {
    await page.clock.runFor(5000)
    await page.waitForTimeout(200)
    return ads.reports.filter(({ start }) => start >= from && start < to).length
  }
  await expect.poll(received, { timeout: 60_000, intervals: [1] }).toBeGreaterThanOrEqual(490)
  ads.losesReplies = false
  await expect.poll(received, { timeout: 60_000, intervals: [1] }).toBeGreaterThan(1610)
  const slots = [...listSlotsBetween(manifest, from, to)].slice(1, -1)
  const plays = new Map<number, number>()
  for (const { start } of ads.reports) {
    const slot = planned(start)
    plays.set(slot.start, (plays.get(slot.start) ?? 0) + 1)
  }
  expect(slots.filter(({ start }) => plays.get(start) !== 1)).toEqual([])
  const whole = ads.reports.filter(({ start }) => start > from && start < to)
  expect(whole.filter(({ result, ms, planned: due }) => result !== 1 || ms > due)).toEqual([])
  expect(new Set(ads.reports.map(({ reportId }) => reportId)).size).toBe(ads.reports.length)
})

test('AD-07 images, videos and texts play one after the other; the median start is at most 100 ms late', async ({
  page,
  context,
  ads,
}) => {
  await shortenReportInterval(context)
  const image = ads.file(png(640, 360, [220, 120, 40]))
  const video = ads.file(clip('vp9'), { mime: 'video/webm', codec: 'vp9' })
  const upright = ads.file(clip('vp8'), { mime: 'video/webm', codec: 'vp8', width: 180, height: 320 })
  ads.manifest = manifestOf([
    { type: 1, files: [image], ms: 3000 },
    { type: 2, files: [video, upright], ms: 4000 },
    { ...text('滚动的文字', { scroll: true }), ms: 3000, fade: true },
  ])
  await open(page, ads)
  const seen = new Set<string>()
  await expect
    .poll(
      async () => {
        seen.add(await shown(page).evaluate((each) => each.tagName))
        return [...seen].toSorted()
      },
      { timeout: 40_000, intervals: [200] },
    )
    .toEqual(['DIV', 'IMG', 'VIDEO'])
  // The player loads the clip for landscape screens, not the clip for portrait screens.
  expect(ads.media.some(({ sha256 }) => sha256 === upright.sha256)).toBe(false)
  const since = Date.now()
  const later = () => ads.reports.filter(({ start }) => start > since)
  const complete = () => later().filter(({ result }) => result === 1)
  // On a busy machine the browser may drop the end of a clip. The play then counts as partial.
  await expect.poll(() => complete().length, { timeout: 120_000 }).toBeGreaterThanOrEqual(6)
  expect(later().filter(({ result }) => result > 2)).toEqual([])
  const late = complete().map((report) => {
    const [slot] = listSlotsBetween(ads.manifest!, report.start, report.start + 1)
    return report.start - slot!.start
  })
  const median = late.toSorted((a, b) => a - b)[Math.floor(late.length / 2)]
  expect(median).toBeLessThanOrEqual(100)
})

test('AD-07 an audio ad plays with a picture from the planned position and is reported as complete', async ({
  page,
  context,
  ads,
}) => {
  await shortenReportInterval(context)
  const sound = ads.file(tone(5), { mime: 'audio/wav', codec: 'pcm-s16', width: 0, height: 0 })
  ads.manifest = manifestOf([
    { type: 3, files: [sound], ms: 5000 },
    { ...text('甲'), ms: 3000 },
  ])
  await open(page, ads)
  const audio = page.locator('.layer-shown .content-audio audio')
  await expect(audio).toHaveCount(1, { timeout: 30_000 })
  const drift = await audio.evaluate(
    (element, slots) => {
      const slot = slots.find(({ start, ms }) => start <= Date.now() && Date.now() < start + ms)
      return slot ? Math.abs((element as HTMLAudioElement).currentTime * 1000 - (Date.now() - slot.start)) : 0
    },
    [...listSlotsBetween(ads.manifest, Date.now() - 1000, Date.now() + 30_000)].map(({ start, ms }) => ({ start, ms })),
  )
  expect(drift).toBeLessThan(1000)
  const complete = () => ads.reports.filter(({ adId, result }) => adId === 101 && result === 1)
  await expect.poll(() => complete().length, { timeout: 100_000 }).toBeGreaterThan(0)
  expect(ads.reports.filter(({ result }) => result === 3)).toEqual([])
})

test('AD-07 the player page reloads from its cache at 04:00', async ({ page, ads }) => {
  const night = Date.parse('2026-11-23T03:58:30+08:00')
  ads.offset = night - Date.now()
  ads.manifest = manifestOf(lines)
  await page.clock.install({ time: night })
  await open(page, ads)
  await expect(shown(page)).toHaveText(/[甲乙丙]/)
  await page.clock.runFor(30_000)
  await ads.stop()
  const loaded = page.waitForEvent('load')
  await page.clock.runFor(60_000)
  // The reload replaces the page of the fake clock, so this call may fail.
  await page.clock.runFor(60_000).catch(() => undefined)
  await loaded
  await expect(shown(page)).toHaveText(/[甲乙丙]/)
})

test('AD-07 a screen without content reloads at 04:00 too', async ({ page, ads }) => {
  const night = Date.parse('2026-11-23T03:58:30+08:00')
  ads.offset = night - Date.now()
  ads.manifest = { ...manifestOf(lines), programs: [] }
  await page.clock.install({ time: night })
  await open(page, ads)
  await expect.poll(() => ads.statuses.length, { timeout: 30_000 }).toBeGreaterThan(0)
  const loaded = page.waitForEvent('load')
  await page.clock.runFor(90_000)
  // The reload replaces the page of the fake clock, so this call may fail.
  await page.clock.runFor(60_000).catch(() => undefined)
  await loaded
})
