import { listSlotsBetween } from '@oms/contract/advertise/engine/playing.ts'
import { manifestOf, png, text } from './ad-manifest.ts'
import { open, shortenReportInterval, test } from './ad-player.ts'
import { expect } from '../support/fixtures.ts'

test('AD-13 an HTML package runs without origin, storage and network, and cannot navigate or read the parent page', async ({
  context,
  ads,
}) => {
  // Uses a page of its own. The page of the fixture fails on errors in the browser console, which every refusal causes.
  const page = await context.newPage()
  const target = `${ads.origin.replace('127.0.0.1', 'localhost')}/player/leak`
  const hits: string[] = []
  page.on('request', (request) => request.url().includes('leak') && hits.push(request.url()))
  const script = `
    const found = []
    const attempt = (name, run) => { try { found.push(name + '=' + run()) } catch (error) { found.push(name + '!') } }
    attempt('origin', () => self.origin)
    attempt('cookie', () => document.cookie)
    attempt('storage', () => localStorage.length)
    attempt('database', () => String(indexedDB.open('oms-player')))
    attempt('parent', () => parent.document.title)
    attempt('top', () => top.document.title)
    new Image().src = '${target}/image'
    fetch('${target}/fetch').then(() => found.push('fetch'), () => found.push('fetch!')).then(() => {
      document.body.textContent = found.join(' ')
      document.body.onclick = () => { location.href = '${target}/navigation' }
    })`
  const html = Buffer.from(`<!doctype html><meta charset="utf-8"><body>包<script>${script}</script>`)
  const file = ads.file(html, { mime: 'text/html', width: 0, height: 0 })
  ads.manifest = manifestOf([{ type: 6, files: [file], ms: 60_000 }])
  await open(page, ads)
  const content = page.frameLocator('.layer-shown iframe').frameLocator('iframe')
  await expect(content.locator('body')).toHaveText('origin=null cookie! storage! database! parent! top! fetch!', {
    timeout: 60_000,
  })
  await content.locator('body').click()
  await expect(content.locator('body')).toHaveText(/ERR_BLOCKED_BY_CSP/)
  const landed = page.frames().map((frame) => frame.url())
  expect(landed.filter((url) => url.includes('leak'))).toEqual([])
  // Requests that the policy refuses never reach the server. Playwright reports them as failed.
  expect(ads.leaks).toEqual([])
  expect(hits.filter((url) => url.includes('navigation'))).toEqual([])
})

test('AD-07 the preview plays a manifest from the console with its own clock and sends no reports', async ({
  page,
  ads,
}) => {
  await page.goto(`${ads.origin}/console`)
  const image = ads.file(png(640, 360, [30, 140, 90]))
  const manifest = manifestOf([
    { ...text('第一条'), ms: 10_000 },
    { type: 1, files: [image], ms: 10_000, name: '图片广告' },
  ])
  const at = Date.parse('2026-11-23T12:00:00+08:00')
  const source = `data:image/png;base64,${png(640, 360, [30, 140, 90]).toString('base64')}`
  await page.evaluate(
    async ({ manifest, at, sha256, bytes }) => {
      const blob = new Blob([Uint8Array.from(atob(bytes), (each) => each.charCodeAt(0))])
      const told: unknown[] = []
      Object.assign(window, { told })
      window.addEventListener('message', ({ data, source }) => {
        told.push(data)
        if (data.type === 'ad-preview:ready')
          (source as Window).postMessage(
            { type: 'ad-preview:show', manifest, files: { [sha256]: blob }, at },
            location.origin,
          )
      })
      const frame = document.createElement('iframe')
      frame.src = '/player/preview.html'
      frame.style.cssText = 'width:1000px;height:640px'
      document.body.append(frame)
    },
    { manifest, at, sha256: image.sha256, bytes: source.split(',')[1]! },
  )
  const preview = page.frameLocator('iframe')
  const visible = preview.locator('.layer-shown .content')
  const [slot] = listSlotsBetween(manifest, at, at + 1)
  await expect(preview.locator('.bar-time')).toHaveText(/^12:00:0/)
  await expect(preview.locator('.message-picture')).toHaveText('正在加载素材')
  const names = ['第一条', '图片广告']
  expect(slot?.ad?.id).toBe(101)
  await expect(visible).toHaveText(names[0]!)
  await preview.getByRole('button', { name: '下一条' }).click()
  await expect(visible).toHaveJSProperty('tagName', 'IMG')
  await expect(preview.locator('.bar-name')).toHaveText('节目单 · 图片广告')
  await preview.getByRole('button', { name: '上一条' }).click()
  await expect(visible).toHaveText(names[0]!)
  await preview.getByRole('button', { name: '16×' }).click()
  await expect(preview.locator('.bar-time')).toHaveText(/^12:0[1-9]/)
  await preview.getByRole('button', { name: '竖屏' }).click()
  const box = (await preview.locator('.preview-box').boundingBox())!
  expect(box.height / box.width).toBeCloseTo(16 / 9, 1)
  await preview.getByRole('slider', { name: '时间轴' }).fill('3600')
  await expect(preview.locator('.bar-time')).toHaveText(/^01:0/)
  const told = await page.evaluate(() => (window as unknown as { told: { type: string; adId?: number }[] }).told)
  expect(new Set(told.map(({ adId }) => adId))).toEqual(new Set([undefined, 101, 102]))
  expect([ads.reports, ads.statuses]).toEqual([[], []])
})

test('AD-13 a web page of another host plays in a sandbox without a referrer; URLs of this host are skipped', async ({
  page,
  context,
  ads,
}) => {
  await shortenReportInterval(context)
  const requests: Record<string, string>[] = []
  await page.route('https://shop.example/**', async (route) => {
    requests.push(route.request().headers())
    await route.fulfill({ contentType: 'text/html; charset=utf-8', body: '<!doctype html><p>外部网页</p>' })
  })
  ads.manifest = manifestOf([
    { type: 5, linkUrl: `https://127.0.0.1:1/`, ms: 4000 },
    { type: 5, linkUrl: 'javascript:alert(1)', ms: 4000 },
    { type: 5, linkUrl: 'https://shop.example/today', ms: 4000 },
  ])
  await open(page, ads)
  const frame = page.locator('.layer-shown iframe')
  await expect(frame).toHaveAttribute('src', 'https://shop.example/today')
  await expect(frame).toHaveAttribute('sandbox', 'allow-scripts allow-same-origin')
  await expect(frame.contentFrame().getByText('外部网页')).toBeVisible()
  expect(requests[0]?.['referer']).toBeUndefined()
  await expect.poll(() => ads.reports.length, { timeout: 90_000 }).toBeGreaterThan(2)
  expect(new Set(ads.reports.map(({ adId }) => adId))).toEqual(new Set([103]))
  // Without the server, the player skips web addresses.
  await ads.stop()
  await expect(page.getByText('暂无播放内容')).toBeVisible({ timeout: 60_000 })
})
