import { FORECAST_DAYS, storageStats } from '@oms/contract/storage/statistics.ts'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { CHART_HEIGHT } from '#kit/chart/chart-height.ts'
import StorageStatPage from '#modules/storage/statistics/statistics.page.tsx'
import { held, ok, openTab, startServer } from '../browser-harness.tsx'

/** Width in pixels of a page beside the open sidebar in a window of 1440 px. */
const PAGE_WIDTH = 1180

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const openStatistics = () => {
  const forecast = held()
  startServer({ [`GET ${storageStats.forecast.path}`]: forecast.respond })
  tab = openTab(
    <div style={{ width: PAGE_WIDTH }}>
      <StorageStatPage />
    </div>,
  )
  return forecast
}
const panel = () => page.getByRole('region', { name: '90 天到期预测' })
const stage = () => panel().element().querySelector('.chart-stage')!

test('a chart panel shows a skeleton with the height of its chart until the first data arrives', async () => {
  const forecast = openStatistics()
  await expect.element(panel().getByRole('status', { name: '加载中' })).toBeVisible()
  expect(stage().clientHeight).toBe(CHART_HEIGHT)
  const { height } = panel().element().getBoundingClientRect()
  forecast.answer(
    ok({
      list: Array.from({ length: FORECAST_DAYS }, (_, at) => ({ day: `2026-01-${at}`, n: 1 })),
    }),
  )
  await expect.element(panel().getByRole('status', { name: '加载中' })).not.toBeInTheDocument()
  expect(stage().clientHeight).toBe(CHART_HEIGHT)
  expect(Math.abs(panel().element().getBoundingClientRect().height - height)).toBeLessThanOrEqual(4)
})
