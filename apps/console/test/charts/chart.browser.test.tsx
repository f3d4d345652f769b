import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { Chart } from '#kit/chart/chart.tsx'
import type { ChartData } from '#kit/chart/chart-data.ts'
import { renderPicture } from '#kit/chart/chart-engine.tsx'
import { openTab, startServer } from '../browser-harness.tsx'

const DATA: ChartData = {
  kind: 'column',
  categoryTitle: '版本号',
  categories: [{ label: '300' }, { label: '200' }, { label: '100' }, { label: '未上报' }],
  series: [
    { name: '在线设备', color: '--ant-color-primary', values: [0, 12, 36, 0] },
    { name: '离线设备', color: '--ant-color-error', values: [0, 0, 4, 9] },
  ],
}

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const chart = () => page.getByRole('img', { name: /^设备版本/ })

test('a chart is drawn, arrow keys announce each mark, and a table shows the same data', async () => {
  startServer({})
  // The chart library is loaded after the start of the console.
  document.documentElement.dataset['started'] = ''
  tab = openTab(
    <div style={{ width: 420 }}>
      <Chart name="设备版本" data={DATA} />
    </div>,
  )
  await expect.element(chart()).toBeVisible()
  const canvas = () => chart().element().querySelector('canvas')
  await expect.poll(() => canvas()?.height).toBeGreaterThan(100)
  ;(chart().element() as HTMLElement).focus()
  await userEvent.keyboard('{ArrowRight}{ArrowRight}{ArrowRight}')
  await expect.element(page.getByRole('status')).toHaveTextContent('100 在线设备 36')
  await userEvent.keyboard('{ArrowRight}{ArrowDown}')
  await expect.element(page.getByRole('status')).toHaveTextContent('未上报 离线设备 9')
  await page.getByRole('button', { name: '看表格' }).click()
  await expect.element(page.getByRole('row', { name: /^未上报 0 9/ })).toBeVisible()
  await expect.element(page.getByRole('row', { name: /^100 36 4/ })).toBeVisible()
  await page.getByRole('button', { name: '看图' }).click()
  await expect.element(chart()).toBeVisible()
})

test('a chart is saved as a picture', () => {
  expect(renderPicture('设备版本', DATA, new Set(), 154)).toMatch(/^data:image\/png;base64,.{4000}/)
})
