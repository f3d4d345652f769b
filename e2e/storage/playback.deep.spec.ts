import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expect, test } from '../support/fixtures.ts'
import { addCamera, consentInApp, type SegmentFile, GAP_MS, upload } from './cameras.ts'

const CLIPS = [0, 1, 2, 3, 4, 5].map((at) => readFileSync(`apps/server/src/demo/videos/clip-${at}.mpeg`))
const CLIP_MS = 4000
/** Two files of ffmpeg's segmenter: each has its own initialisation section, and its timestamps start at zero. */
const MP4_CLIPS = [4200, 4000].map((durationMs, at) => ({
  bytes: readFileSync(`e2e/storage/clips/clip-${at}.mp4`),
  durationMs,
}))
/** Seconds of each of the two intervals. */
const INTERVAL_SECONDS = 12
/** Speed of the long playback, and the longest stall that a viewer may see. */
const SPEED = 4
const LONGEST_STALL_MS = 1000

/** Two intervals of three clips of MPEG-TS with a gap of a minute. */
const transportStreams = (start: number): SegmentFile[] =>
  CLIPS.map((bytes, at) => ({
    bytes,
    segment: {
      start: start + (at % 3) * CLIP_MS + (at < 3 ? 0 : GAP_MS),
      durationMs: CLIP_MS,
      format: 'ts',
      session: at < 3 ? 1 : 2,
      seq: (at % 3) + 1,
    },
  }))

/** Eight sessions of three clips, as of a camera that restarts every 12 s. The fifth begins after a gap. */
const RESTARTS = 8
const SESSION_CLIPS = CLIPS.slice(0, 3)
const restartedSessions = (start: number): SegmentFile[] =>
  Array.from({ length: RESTARTS }, (_, session) =>
    SESSION_CLIPS.map((bytes, at) => ({
      bytes,
      segment: {
        start: start + (session * SESSION_CLIPS.length + at) * CLIP_MS + (session < RESTARTS / 2 ? 0 : GAP_MS),
        durationMs: CLIP_MS,
        format: 'ts',
        session: session + 1,
        seq: at + 1,
      },
    })),
  ).flat()
const RESTARTED_SECONDS = (RESTARTS * SESSION_CLIPS.length * CLIP_MS) / 1000

/** Two consecutive files of fragmented MP4. */
const fragmentedFiles = (start: number): SegmentFile[] =>
  MP4_CLIPS.map(({ bytes, durationMs }, at) => ({
    bytes,
    segment: {
      start: start + at * MP4_CLIPS[0]!.durationMs,
      durationMs,
      format: 'fmp4',
      initBytes: bytes.indexOf('moof') - 4,
      session: 1,
      seq: at + 1,
      final: true,
    },
  }))

/** Opens the recordings of a camera as staff with the consent of its user. */
async function openRecordings(page: Page, sn: string) {
  await page.goto('/ossManage/deviceList')
  await page.getByRole('tab', { name: '授权与查看记录' }).click()
  const row = page.getByRole('row', { name: new RegExp(sn) })
  await row.getByRole('button', { name: '查看录像' }).click()
  const ask = page.getByRole('dialog', { name: `查看录像 ${sn}` })
  await ask.getByLabel('查看原因').fill('用户报修花屏，核对画面')
  await ask.getByRole('button', { name: '查看', exact: true }).click()
}

const videoOf = (page: Page) => {
  const video = page.locator('video')
  return {
    video,
    read: (of: 'currentTime' | 'duration') => video.evaluate((each, key) => (each as HTMLVideoElement)[key], of),
    seek: (to: number) =>
      video.evaluate((each, at) => {
        const player = each as HTMLVideoElement
        player.currentTime = at
      }, to),
  }
}

test('STORAGE-08 STORAGE-09 staff record a consent, another employee plays the recording across a gap, and the view is listed', async ({
  page,
  login,
  api,
  staff,
  request,
  accessible,
}) => {
  const admin = await api()
  const camera = await addCamera(admin)
  // Packages begin with a whole second; the first recording begins after the package.
  const start = Date.now() + 2000
  await upload(request, camera, transportStreams(start))
  const rights = ['list', 'consent', 'view'].map((action) => `ossManage:deviceList:${action}`)
  const [clerk, viewer] = [await staff(rights, '登记员'), await staff(rights, '查看员')]

  await login(clerk)
  await page.goto('/ossManage/deviceList')
  await page.getByRole('tab', { name: '授权与查看记录' }).click()
  await page.getByRole('button', { name: '登记授权' }).first().click()
  const form = page.getByRole('dialog', { name: '登记录像查看授权' })
  await form.getByLabel('序列号').fill(camera.sn)
  const zoned = (ms: number) => new Date(ms + 8 * 3600_000).toISOString().slice(0, 19).replace('T', ' ')
  for (const [label, ms] of [
    ['录像开始时间', start - 1000],
    ['录像结束时间', start + 2 * GAP_MS],
    ['授权有效期至', start + 3600_000],
  ] as const) {
    await form.getByLabel(label).fill(zoned(ms))
    await form.getByLabel(label).press('Enter')
  }
  const paper = { name: '授权书.txt', mimeType: 'text/plain', buffer: Buffer.from('本人同意查看录像') }
  await form.locator('input[type=file]').setInputFiles(paper)
  await expect(form.getByText('授权书.txt')).toBeVisible()
  await accessible()
  await form.getByRole('button', { name: '登记' }).click()
  await expect(form).toBeHidden()
  const row = page.getByRole('row', { name: new RegExp(camera.sn) })
  await expect(row).toContainText('书面授权')
  await expect(row.getByRole('button', { name: '查看录像' })).toBeDisabled()

  await login(viewer)
  await page.reload()
  await page.getByRole('tab', { name: '授权与查看记录' }).click()
  await row.getByRole('button', { name: '查看录像' }).click()
  const ask = page.getByRole('dialog', { name: `查看录像 ${camera.sn}` })
  await ask.getByLabel('查看原因').fill('用户报修花屏，核对画面')
  await ask.getByRole('button', { name: '查看', exact: true }).click()
  const { video, read, seek } = videoOf(page)
  await expect.poll(() => read('duration'), { timeout: 30_000 }).toBeGreaterThan(2 * INTERVAL_SECONDS - 1)
  await expect(page.getByRole('status').filter({ hasText: '录像时间' })).toBeVisible()
  await seek(INTERVAL_SECONDS - 1)
  await expect.poll(() => read('currentTime'), { timeout: 30_000 }).toBeGreaterThan(INTERVAL_SECONDS + 1)
  await page.locator('.playback-screen + .kit-row').getByRole('button', { name: '全屏' }).click()
  const watermarkInFullScreen = () =>
    page.evaluate(() => Boolean(document.fullscreenElement?.querySelector('.playback-watermark')))
  await expect.poll(watermarkInFullScreen).toBe(true)
  await page.evaluate(() => document.exitFullscreen())
  await accessible()
  await page.keyboard.press('Escape')
  await expect(video).toHaveCount(0)

  await page.getByText('查看记录', { exact: true }).click()
  await expect(row).toContainText('用户报修花屏，核对画面')
  await expect(row).toContainText('查看员')
})

test('STORAGE-08 hls.js plays a recording of two files of fragmented MP4', async ({
  page,
  login,
  api,
  staff,
  request,
}) => {
  const admin = await api()
  const camera = await addCamera(admin)
  const start = Date.now() + 2000
  await upload(request, camera, fragmentedFiles(start))
  await consentInApp(admin, request, camera, start - 1000)
  await login(
    await staff(
      ['list', 'view'].map((action) => `ossManage:deviceList:${action}`),
      '查看员',
    ),
  )
  await openRecordings(page, camera.sn)
  const { video, read, seek } = videoOf(page)
  await expect.poll(() => read('duration'), { timeout: 30_000 }).toBeGreaterThan(8)
  await video.evaluate((each) => (each as HTMLVideoElement).play())
  await seek(3)
  // The second file begins at 4.2 s.
  await expect.poll(() => read('currentTime'), { timeout: 30_000 }).toBeGreaterThan(6)
  expect(await video.evaluate((each) => (each as HTMLVideoElement).error)).toBeNull()
  expect(
    await video.evaluate((each) => (each as HTMLVideoElement).getVideoPlaybackQuality().totalVideoFrames),
  ).toBeGreaterThan(20)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

/** Plays from the start at `SPEED` and records how long the picture stands still after the first frame. */
const watchStalls = (page: Page) =>
  page.locator('video').evaluate((each, speed) => {
    const player = each as HTMLVideoElement
    const stalls: number[] = []
    let since: number | undefined
    Object.assign(window, { stalls })
    player.addEventListener('waiting', () => (since ??= player.seeking ? undefined : performance.now()))
    player.addEventListener('playing', () => {
      if (since !== undefined) stalls.push(performance.now() - since)
      since = undefined
    })
    player.playbackRate = speed
    return player.play()
  }, SPEED)

test('STORAGE-08 hls.js plays 96 s with recorder restarts and a gap without stalling for a second', async ({
  page,
  login,
  api,
  staff,
  request,
}) => {
  const admin = await api()
  const camera = await addCamera(admin)
  // The camera uploads at once what it records during the next minutes; OMS accepts starts up to five minutes ahead.
  const start = Date.now() + 2000
  await upload(request, camera, restartedSessions(start))
  await consentInApp(admin, request, camera, start - 1000, RESTARTED_SECONDS * 1000 + 2 * GAP_MS)
  const rights = ['list', 'view'].map((action) => `ossManage:deviceList:${action}`)
  await login(await staff(rights, '查看员'))
  await openRecordings(page, camera.sn)
  const { read } = videoOf(page)
  await expect.poll(() => read('duration'), { timeout: 30_000 }).toBeGreaterThan(RESTARTED_SECONDS - 1)
  await watchStalls(page)
  const within = { timeout: (RESTARTED_SECONDS / SPEED) * 1000 + 60_000 }
  await expect.poll(() => read('currentTime'), within).toBeGreaterThan(RESTARTED_SECONDS - 2)
  const stalls = await page.evaluate(() => (window as unknown as { stalls: number[] }).stalls)
  expect(Math.max(0, ...stalls)).toBeLessThan(LONGEST_STALL_MS)
})
