import { storageStats } from '@oms/contract/storage/statistics.ts'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { CHART_HEIGHT } from '#kit/chart/chart-height.ts'
import StorageStatPage from '#modules/storage/statistics/statistics.page.tsx'
import { held, ok, openTab, startServer } from '../browser-harness.tsx'

const MONTHS = 12
/** Width in pixels of a label with a month and a rate such as `100.00%`. */
const LABEL_WIDTH = 60
/** Width in pixels of a page beside the open sidebar in a window of 1440 px. */
const PAGE_WIDTH = 1180

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const openStatistics = () => {
  const cohort = held()
  startServer({ [`GET ${storageStats.cohort.path}`]: cohort.respond })
  tab = openTab(
    <div style={{ width: PAGE_WIDTH }}>
      <StorageStatPage />
    </div>,
  )
  return cohort
}
const panel = () => page.getByRole('region', { name: '续费率' })
const stage = () => panel().element().querySelector('.chart-stage')!

test('a chart panel shows a skeleton with the height of its chart until the first data arrives', async () => {
  const cohort = openStatistics()
  await expect.element(panel().getByRole('status', { name: '加载中' })).toBeVisible()
  expect(stage().clientHeight).toBe(CHART_HEIGHT)
  const { height } = panel().element().getBoundingClientRect()
  cohort.answer(
    ok({
      list: Array.from({ length: MONTHS }, (_, at) => {
        const month = `2026-${String(at + 1).padStart(2, '0')}`
        return { from: `${month}-01`, to: `${month}-28`, expired: 4, lapsed: 1, rate: 75 }
      }),
    }),
  )
  await expect.element(panel().getByRole('status', { name: '加载中' })).not.toBeInTheDocument()
  expect(stage().clientHeight).toBe(CHART_HEIGHT)
  expect(Math.abs(panel().element().getBoundingClientRect().height - height)).toBeLessThanOrEqual(4)
})

test('the chart 续费率 has room for the label of each month', async () => {
  openStatistics()
  await expect.element(panel().getByRole('status', { name: '加载中' })).toBeVisible()
  expect(stage().clientWidth / MONTHS).toBeGreaterThanOrEqual(LABEL_WIDTH)
})
