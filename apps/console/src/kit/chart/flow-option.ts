import type { EChartsCoreOption } from 'echarts/core'
import { type ChartArrow, type ChartData, findCategoryTitle } from './chart-data.ts'
import type { ChartTheme } from './chart-theme.ts'

const ROW_HEIGHT = 30
/** Browsers limit the height of a canvas. Above this height the rows become narrower. */
const MAX_HEIGHT = 6000
/** Width in pixels of the arrow area, left of the dots. */
const ARROWS = 96
const LABELS = 136
const MAX_REACH = 78
/** Position of the ends of an arrow on the axis from 0 to 1, left of the dots at 1. */
const BESIDE_DOT = 0.92

// The first grid contains dots and arrows, the second one the bars.
const LEFT = { xAxisIndex: 0, yAxisIndex: 0, silent: true, clip: false, tooltip: { show: false } }

/** Returns the height of one row in pixels. */
export const computeRowHeight = ({ categories }: Pick<ChartData, 'categories'>) =>
  Math.min(ROW_HEIGHT, MAX_HEIGHT / Math.max(1, categories.length))

/** Returns the option of a chart with one bar per row, and arrows between the rows. */
export function buildFlowOption(data: ChartData, theme: ChartTheme): EChartsCoreOption {
  const { categories, series } = data
  const row = computeRowHeight(data)
  const rows = { type: 'category', inverse: true, data: categories.map(findCategoryTitle), axisTick: { show: false } }
  const grid = { top: 0, bottom: 4 }
  return {
    grid: [
      { ...grid, left: 0, width: ARROWS },
      { ...grid, left: ARROWS + LABELS, right: 64 },
    ],
    xAxis: [
      { type: 'value', gridIndex: 0, min: 0, max: 1, show: false },
      { type: 'value', gridIndex: 1, minInterval: 1, show: false },
    ],
    yAxis: [
      { ...rows, gridIndex: 0, show: false },
      { ...rows, gridIndex: 1, axisLine: { show: false }, axisLabel: labelOf(data, theme) },
    ],
    series: [
      ...series.map((one, at) => barOf(data, at, theme.colorOf(one.color), theme)),
      arrowSeries(data, row, theme),
      dotSeries(data, row, theme),
    ],
  }
}

const arrowSeries = ({ arrows = [] }: ChartData, row: number, theme: ChartTheme) => ({
  ...LEFT,
  type: 'lines',
  coordinateSystem: 'cartesian2d',
  symbol: ['none', 'arrow'],
  symbolSize: 7,
  data: arrows.map((arrow) => arrowOf(arrow, row, theme)),
})

const dotSeries = ({ categories }: ChartData, row: number, theme: ChartTheme) => ({
  ...LEFT,
  type: 'line',
  lineStyle: { opacity: 0 },
  symbol: 'circle',
  symbolSize: Math.min(11, row),
  showAllSymbol: true,
  data: categories.map(({ color = '--chart-text' }, at) => ({
    value: [1, at],
    itemStyle: { color: theme.colorOf(color), opacity: 1 },
  })),
})

const labelOf = ({ categories }: ChartData, theme: ChartTheme) => ({
  color: theme.strong,
  fontSize: 13,
  align: 'left',
  margin: LABELS - 14,
  width: LABELS - 20,
  overflow: 'truncate',
  hideOverlap: true,
  formatter: (_: string, at: number) => categories[at]?.label ?? '',
})

const barOf = ({ series }: ChartData, at: number, color: string, theme: ChartTheme) => ({
  type: 'bar',
  name: series[at]?.name,
  stack: 'row',
  xAxisIndex: 1,
  yAxisIndex: 1,
  barMaxWidth: 14,
  color,
  data: series[at]?.values.map((value) => value ?? 0),
  label: {
    // The last bar of the stack shows the sum of its row.
    show: at === series.length - 1,
    position: 'right',
    color: theme.strong,
    formatter: ({ dataIndex }: { dataIndex: number }) =>
      series.reduce((sum, { values }) => sum + (values[dataIndex] ?? 0), 0).toLocaleString(),
  },
})

/** The distance of an arrow from the dots grows with the number of rows between its ends. */
function arrowOf({ from, to, color, isDashed = false }: ChartArrow, row: number, theme: ChartTheme) {
  const rows = Math.max(1, Math.abs(from - to))
  const reach = Math.min(MAX_REACH, 20 + 16 * Math.sqrt(rows))
  // A quadratic curve reaches half of the way to its control point. A negative curve bends to the other side.
  const curveness = (Math.sign(from - to) * 2 * reach) / (rows * row)
  const lineStyle = {
    color: theme.colorOf(color),
    type: isDashed ? 'dashed' : 'solid',
    width: 1.5,
    opacity: 1,
    curveness,
  }
  return {
    coords: [
      [BESIDE_DOT, from],
      [BESIDE_DOT, to],
    ],
    lineStyle,
  }
}
