import { expect, test } from 'vitest'
import { buildRangeChart, type UpgradeGraph } from './range-chart-data.ts'

const NODE = {
  verName: '',
  devices: 0,
  isEnabled: false,
  isDraft: false,
  oldVerMin: null,
  oldVerMax: null,
  path: [],
  stranded: 0,
}
const node = (verCode: number | null, more: Partial<UpgradeGraph['nodes'][number]> = {}) => ({
  ...NODE,
  verCode,
  ...more,
})
const REST = {
  modelName: 'C1',
  newest: 300,
  devices: 50,
  stranded: 5,
  gaps: [],
  overlaps: [],
  useless: [],
  effect: null,
}
const graphOf = (nodes: UpgradeGraph['nodes']): UpgradeGraph => ({ ...REST, nodes })

test('the chart lists the newest version first, and counts devices with and without an upgrade path to it', () => {
  const chart = buildRangeChart(
    graphOf([
      node(null, { devices: 5, stranded: 5 }),
      node(100, { devices: 45, path: [200, 300] }),
      node(200, { isEnabled: true, path: [300], before: { path: [], stranded: 0 } }),
      node(300, { isEnabled: true, isDraft: true }),
    ]),
  )
  expect(chart.categories.map(({ label, note }) => [label, note])).toEqual([
    ['300（预演）', ''],
    ['200', '下一步升级到 300'],
    ['100', '下一步升级到 200'],
    ['未上报', ''],
  ])
  expect(chart.series.map(({ values }) => values)).toEqual([
    [0, 0, 45, 0],
    [0, 0, 0, 5],
  ])
  expect(chart.arrows).toEqual([
    { from: 1, to: 0, color: '--ant-color-warning', isDashed: true },
    { from: 2, to: 1, color: '--ant-color-primary', isDashed: false },
  ])
  expect(chart.categories.map(({ color }) => color)).toEqual([
    '--ant-color-warning',
    '--ant-color-primary',
    '--ant-color-text-quaternary',
    '--ant-color-error',
  ])
})

test('the chart has no arrow to a version that is not shown', () => {
  expect(buildRangeChart(graphOf([node(100, { devices: 1, path: [999] })])).arrows).toEqual([])
})
