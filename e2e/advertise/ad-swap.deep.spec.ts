import { manifestOf, png, text } from './ad-manifest.ts'
import { open, shortenReportInterval, shown, test } from './ad-player.ts'
import { expect } from '../support/fixtures.ts'

test('AD-07 the current manifest plays until the files of the new manifest are stored', async ({ page, ads }) => {
  ads.manifest = manifestOf([{ ...text('旧'), ms: 3000 }])
  await open(page, ads)
  await expect(shown(page)).toHaveText('旧')
  ads.isBusy = true
  ads.manifest = manifestOf([{ type: 1, files: [ads.file(png(640, 360, [20, 160, 220]))], ms: 3000 }])
  await expect.poll(() => ads.media.length, { timeout: 30_000 }).toBeGreaterThan(2)
  await expect(shown(page)).toHaveText('旧')
  ads.isBusy = false
  await expect(shown(page)).toHaveJSProperty('naturalWidth', 640, { timeout: 30_000 })
})

test('AD-07 the current manifest plays while no file of the new manifest can be downloaded', async ({ page, ads }) => {
  ads.manifest = manifestOf([{ ...text('旧'), ms: 3000 }])
  await open(page, ads)
  await expect(shown(page)).toHaveText('旧')
  const lost = { ...ads.file(png(640, 360, [20, 160, 220])), sha256: 'f'.repeat(64) }
  ads.manifest = manifestOf([{ type: 1, files: [lost], ms: 3000 }])
  const failed = () => ads.statuses.at(-1)?.['failed']
  await expect.poll(failed, { timeout: 40_000 }).toEqual([{ sha256: lost.sha256, reason: 'HTTP 404' }])
  await expect(shown(page)).toHaveText('旧')
  // One stored file of the new manifest suffices, because its ad plays all the time.
  const found = ads.file(png(320, 180, [200, 60, 20]))
  ads.manifest = manifestOf([
    { type: 1, files: [lost], ms: 3000 },
    { type: 1, files: [found], ms: 3000 },
  ])
  await expect(shown(page)).toHaveJSProperty('naturalWidth', 320, { timeout: 30_000 })
})

test('AD-07 only a takeover interrupts the current play, and the interrupted play is reported as partial', async ({
  page,
  context,
  ads,
}) => {
  await shortenReportInterval(context)
  const long = manifestOf([{ ...text('长'), ms: 600_000 }])
  ads.manifest = long
  await open(page, ads)
  await expect(shown(page)).toHaveText('长')
  const changed = manifestOf([{ ...text('改'), ms: 600_000 }], { verNo: 5 })
  ads.manifest = changed
  await expect.poll(() => ads.statuses.at(-1)?.['nowPlaying'], { timeout: 40_000 }).toMatchObject({ itemId: 1 })
  await page.waitForTimeout(7000)
  await expect(shown(page)).toHaveText('长')
  const takeover = manifestOf([{ ...text('插播'), ms: 5000 }], { id: 99, insertMode: 1 })
  const item = { ...takeover.programs[0]!.items[0]!, adId: 199 }
  ads.manifest = {
    ...changed,
    programs: [...changed.programs, { ...takeover.programs[0]!, items: [item] }],
    ads: [...changed.ads, { ...takeover.ads[0]!, id: 199 }],
  }
  await expect(shown(page)).toHaveText('插播', { timeout: 30_000 })
  await expect.poll(() => ads.reports.length, { timeout: 90_000 }).toBeGreaterThan(0)
  expect(ads.reports[0]).toMatchObject({ programId: 31, ver: 4, result: 2, planned: 600_000 })
})
