import type { Page } from '@playwright/test'
import { manifestOf, png, text } from './ad-manifest.ts'
import { open, shown, test } from './ad-player.ts'
import { expect } from '../support/fixtures.ts'

const PORTRAIT = { width: 1080, height: 1920 }
test.use({ viewport: PORTRAIT })

/** Returns the colours of the corners and of the centre of a screenshot. */
async function colorsOf(page: Page) {
  const shot = (await page.screenshot()).toString('base64')
  return page.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(image.width, image.height)
    const context = canvas.getContext('2d')!
    context.drawImage(image, 0, 0)
    const [right, bottom] = [image.width - 1, image.height - 1]
    const points = [
      [0, 0],
      [right, 0],
      [0, bottom],
      [right, bottom],
      [right / 2, bottom / 2],
    ]
    return points.map(([x, y]) =>
      Array.from(context.getImageData(Math.floor(x!), Math.floor(y!), 1, 1).data.slice(0, 3)),
    )
  }, shot)
}

/** Returns the number of pixels by which the page exceeds the window, in width and height. */
const overflowOf = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement
    return [scrollWidth - innerWidth, scrollHeight - innerHeight]
  })

test('AD-07 portrait content fills a portrait screen of 1080×1920 without scroll bars', async ({ page, ads }) => {
  const wide = ads.file(png(1920, 1080, [40, 40, 200]), { width: 1920, height: 1080 })
  const upright = ads.file(png(1080, 1920, [200, 40, 40]), { width: 1080, height: 1920 })
  ads.manifest = manifestOf([{ type: 1, files: [wide, upright], ms: 3_600_000 }])
  await open(page, ads)
  const image = shown(page).and(page.locator('img'))
  await expect(image).toBeVisible()
  // The picture is half as bright at its top as at its bottom.
  const [top, bottom] = [
    [100, 20, 20],
    [200, 40, 40],
  ]
  await expect.poll(() => colorsOf(page)).toEqual([top, top, bottom, bottom, [150, 30, 30]])
  expect(await image.boundingBox()).toEqual({ x: 0, y: 0, ...PORTRAIT })
  expect(await overflowOf(page)).toEqual([0, 0])
  expect(ads.media.map(({ sha256 }) => sha256)).not.toContain(wide.sha256)
  await expect.poll(() => ads.statuses.at(-1) ?? {}).toMatchObject({ ...PORTRAIT, muted: 0, covered: 0 })
})

test('AD-07 a long text and the pairing page fit a portrait screen of 1080×1920', async ({ page, ads }) => {
  await page.goto(`${ads.origin}/player/`)
  const code = page.getByRole('img', { name: '配对码 K 7 M W X 4' })
  await expect(code).toBeVisible()
  const { x, width } = (await code.boundingBox())!
  expect([x >= 0, x + width <= PORTRAIT.width]).toEqual([true, true])
  expect(await overflowOf(page)).toEqual([0, 0])
  const words = { ...text('全场商品今日八折，欢迎选购。'.repeat(10)), ms: 3_600_000 }
  ads.manifest = manifestOf([words])
  ads.pairedTo = 'SCR-1'
  await expect(shown(page)).toBeVisible()
  expect(await overflowOf(page)).toEqual([0, 0])
})

test('AD-07 an unpaired screen continues to play for 24 hours, then shows the idle picture', async ({ page, ads }) => {
  const noon = Date.parse('2026-11-23T12:00:00+08:00')
  ads.offset = noon - Date.now()
  ads.poll = 1800
  ads.manifest = manifestOf([{ ...text('甲'), ms: 600_000 }])
  await page.clock.install({ time: noon })
  // Without a service worker, as on plain HTTP, the page does not reload at 04:00.
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'))
  await page.goto(`${ads.origin}/player/#sn=SCR-1&token=player-token`)
  await expect(shown(page)).toHaveText('甲')
  ads.refuses = true
  const passHours = async (hours: number) => {
    for (let hour = 0; hour < hours; hour++) {
      await page.clock.runFor('01:00:00')
      ads.offset += 3_600_000
      // A call to the server needs real time, which the clock of the page does not control.
      await page.waitForTimeout(100)
    }
  }
  await passHours(23)
  await expect(shown(page)).toHaveText('甲')
  await expect(page.getByText('暂无播放内容')).toBeHidden()
  await passHours(3)
  await expect(page.getByText('暂无播放内容')).toBeVisible()
})
