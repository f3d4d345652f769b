import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { BigScreenView } from '#modules/home/big-screen-view.tsx'
import { openTab, startServer } from './browser-harness.tsx'

const NAMES = ['深圳市前海智联物联网科技有限公司', '北京云', '杭州西湖区视界智能摄像设备制造有限公司']
const list = NAMES.map((name, at) => ({ name, value: 12_345 - at }))
const ranking = { list, total: 3 }
const STATE = {
  devices: 30_000,
  online: 29_996,
  offline: 3,
  inactive: 1,
  disabled: 0,
  activatedToday: 1,
  createdToday: 1,
}
const none = { data: null, failed: false }
const fleet = { data: { state: STATE, regions: ranking, models: ranking, tenants: ranking }, failed: false }
const SCREEN = { fleet, online: none, releases: none, tickets: none } as never

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

/** Part of the chart's size that is the inner diameter of the ring. */
const INNER = 0.58

for (const [width, height] of [
  [390, 844],
  [1280, 720],
  [1920, 1080],
] as const) {
  test(`the percentage stays inside the ring in a window of ${width} pixels`, async () => {
    await page.viewport(width, height)
    startServer({})
    tab = openTab(<BigScreenView screen={SCREEN} zone="Asia/Shanghai" />)
    await expect.element(page.getByText('99.99%')).toBeVisible()
    const chart = document.querySelector('.big-screen-ring-chart')!.getBoundingClientRect()
    const radius = (Math.min(chart.width, chart.height) / 2) * INNER
    const range = document.createRange()
    for (const text of document.querySelectorAll('.big-screen-ring-share > *')) {
      range.selectNodeContents(text)
      const box = range.getBoundingClientRect()
      const x = Math.max(box.right - (chart.left + chart.width / 2), chart.left + chart.width / 2 - box.left)
      const y = Math.max(
        Math.abs(box.bottom - (chart.top + chart.height / 2)),
        Math.abs(chart.top + chart.height / 2 - box.top),
      )
      expect(Math.hypot(x, y)).toBeLessThan(radius)
    }
  })
}

test('no name of a ranking is cut on a phone', async () => {
  await page.viewport(390, 844)
  startServer({})
  tab = openTab(<BigScreenView screen={SCREEN} zone="Asia/Shanghai" />)
  await expect.element(page.getByText(NAMES[0]!).first()).toBeVisible()
  const names = [...document.querySelectorAll<HTMLElement>('.big-screen-name')]
  expect(names.length).toBe(2 * NAMES.length)
  expect(names.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)).toEqual([])
  expect(new Set(names.map(({ title }) => title))).toEqual(new Set(NAMES))
})
