import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { renderPicture } from '#kit/chart/chart-engine.tsx'
import { RangeChart } from '#modules/ota/ranges/range-chart.tsx'
import { buildRangeChart, type UpgradeGraph } from '#modules/ota/ranges/range-chart-data.ts'
import { openTab, startServer } from '../browser-harness.tsx'
import '#modules/ota/ota.css'

const NODE = { verName: '', isEnabled: false, isDraft: false, oldVerMin: null, oldVerMax: null, path: [], stranded: 0 }
const GRAPH: UpgradeGraph = {
  modelName: '摄像机一代',
  newest: 300,
  devices: 57,
  stranded: 9,
  nodes: [
    { ...NODE, verCode: null, devices: 9, stranded: 9 },
    { ...NODE, verCode: 100, devices: 36, path: [200, 300] },
    { ...NODE, verCode: 150, devices: 12, path: [300], before: { path: [200], stranded: 0 } },
    { ...NODE, verCode: 200, devices: 0, path: [300], isEnabled: true },
    { ...NODE, verCode: 300, devices: 0, isEnabled: true, isDraft: true },
  ],
  gaps: [],
  overlaps: [],
  useless: [],
  effect: null,
}

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const chart = () => page.getByRole('img', { name: /^摄像机一代 的版本路径图，5 个版本/ })

test('the version path chart is drawn, arrow keys announce each mark, and a table shows the same data', async () => {
  startServer({})
  // The chart library is loaded after the start of the console.
  document.documentElement.dataset['started'] = ''
  tab = openTab(
    <div style={{ width: 420 }}>
      <RangeChart graph={GRAPH} />
    </div>,
  )
  await expect.element(chart()).toBeVisible()
  const canvas = () => chart().element().querySelector('canvas')
  await expect.poll(() => canvas()?.height).toBeGreaterThan(100)
  ;(chart().element() as HTMLElement).focus()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}')
  await expect.element(page.getByRole('status')).toHaveTextContent('100 可以升级到最新版本的设备 36 下一步升级到 200')
  await userEvent.keyboard('{ArrowDown}{ArrowRight}')
  await expect.element(page.getByRole('status')).toHaveTextContent('未上报 无法升级到最新版本的设备 9')
  await page.getByRole('button', { name: '看表格' }).click()
  await expect.element(page.getByRole('row', { name: /^未上报 0 9/ })).toBeVisible()
  await expect.element(page.getByRole('row', { name: /^100 36 0 下一步升级到 200/ })).toBeVisible()
  await page.getByRole('button', { name: '看图' }).click()
  await expect.element(chart()).toBeVisible()
})

test('the version path chart is saved as a picture', () => {
  expect(renderPicture('版本路径', buildRangeChart(GRAPH), new Set(), 154)).toMatch(/^data:image\/png;base64,.{4000}/)
})
