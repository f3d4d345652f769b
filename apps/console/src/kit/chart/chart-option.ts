import { type EChartsCoreOption, format } from 'echarts/core'
import {
  type ChartCategory,
  type ChartData,
  type ChartSeries,
  findCategoryLink,
  findCategoryTitle,
  formatWeekday,
} from './chart-data.ts'
import type { ChartTheme } from './chart-theme.ts'

/** Minimum number of categories for a zoom slider below the chart. */
const ZOOM_FROM = 32
/** Maximum number of values for which a line shows a dot at each value. */
const DOTS_UP_TO = 31

/** Returns the ECharts option of a chart. `hidden` contains the names hidden by the legend. */
export function buildOption(data: ChartData, theme: ChartTheme, hidden: ReadonlySet<string>): EChartsCoreOption {
  const selected = Object.fromEntries([...hidden].map((name) => [name, false]))
  return {
    animation: false,
    textStyle: { fontFamily: theme.font, color: theme.text },
    legend: { show: false, selected },
    tooltip: tooltipOf(data, theme),
    ...(data.kind === 'ring' ? { series: [ringOf(data, theme)] } : axesOf(data, theme)),
  }
}

const tooltipOf = ({ kind }: ChartData, theme: ChartTheme) => ({
  trigger: kind === 'line' || kind === 'area' || kind === 'column' ? 'axis' : 'item',
  confine: true,
  backgroundColor: theme.ground,
  borderColor: theme.grid,
  textStyle: { color: theme.strong, fontSize: 12 },
  axisPointer: { type: kind === 'column' ? 'shadow' : 'line', lineStyle: { color: theme.text } },
  valueFormatter: (value: unknown) => (typeof value === 'number' ? value.toLocaleString() : '无数据'),
})

const ringOf = ({ categories, series: [first] }: ChartData, theme: ChartTheme) => ({
  type: 'pie',
  name: first?.name,
  radius: ['58%', '92%'],
  label: { show: false },
  labelLine: { show: false },
  itemStyle: { borderColor: theme.ground, borderWidth: 1 },
  data: categories.map((category, at) => ({
    name: findCategoryTitle(category),
    value: first?.values[at] ?? 0,
    cursor: findCategoryLink(first, at) ? 'pointer' : 'default',
    itemStyle: { color: theme.colorOf(category.color ?? first?.color ?? '') },
  })),
})

function axesOf(data: ChartData, theme: ChartTheme): EChartsCoreOption {
  const { kind, categories, series } = data
  if (kind === 'heat') return heatOf(data, theme)
  const names = {
    type: 'category',
    data: categories.map(findCategoryTitle),
    boundaryGap: kind === 'column' || kind === 'row',
    axisTick: { show: false },
    axisLine: { lineStyle: { color: theme.grid } },
    axisLabel: { ...labelOf(data, theme), formatter: (_: string, at: number) => axisLabelOf(kind, categories[at]) },
  }
  const values = {
    type: 'value',
    show: kind !== 'row',
    // Counts are integers, so all ticks are integers.
    minInterval: 1,
    axisLabel: { color: theme.text, fontSize: 12 },
    splitLine: { lineStyle: { color: theme.grid } },
  }
  const isZoomed = kind !== 'row' && categories.length >= ZOOM_FROM
  return {
    grid: gridOf(kind, isZoomed),
    ...(kind === 'row' ? { xAxis: values, yAxis: { ...names, ...ROW_AXIS } } : { xAxis: names, yAxis: values }),
    ...(isZoomed && { dataZoom: zoomOf(theme) }),
    series: series.map((one, at) => (kind === 'row' || kind === 'column' ? barOf : lineOf)(data, one, at, theme)),
  }
}

/** A tooltip shows the complete name of a row, because a label has at most two lines. */
const ROW_AXIS = {
  inverse: true,
  tooltip: { show: true, formatter: ({ value }: { value: unknown }) => format.encodeHTML(String(value)) },
}
const ROW_LABEL = { fontSize: 12, lineHeight: 14, overflow: 'break' }
const ROW_LABEL_WIDTH = 134
/**
 * Maximum length of a row label, which has two lines. A Chinese character counts as 1, a Latin character as about 0.6.
 */
const ROW_ROOM = 21
const LATIN_WIDTH = 0.6

const measureSign = (sign: string) => (sign < '\u2e80' ? LATIN_WIDTH : 1)

/** Returns the width of the row labels in pixels. Short labels leave more room for the bars and their numbers. */
function measureRowLabels(categories: ChartData['categories']) {
  const lengths = categories.map(({ label }) => [...label].reduce((sum, sign) => sum + measureSign(sign), 0))
  return Math.min(ROW_LABEL_WIDTH, Math.ceil(Math.max(0, ...lengths) * ROW_LABEL.fontSize) + ROW_LABEL.fontSize)
}

/** Shortens the label of a row to its two lines. */
function shortenRowLabel(label: string) {
  let width = 0
  const cut = [...label].findIndex((sign) => (width += measureSign(sign)) > ROW_ROOM)
  return cut < 0 ? label : `${[...label].slice(0, cut - 1).join('')}…`
}

function axisLabelOf(kind: ChartData['kind'], category: ChartCategory | undefined) {
  const { label = '', title = '' } = category ?? {}
  if (kind === 'row') return shortenRowLabel(label)
  return label && [label, formatWeekday(title)].filter(Boolean).join('\n')
}

const labelOf = ({ kind, categories }: ChartData, theme: ChartTheme) =>
  kind === 'row'
    ? { ...ROW_LABEL, width: measureRowLabels(categories), color: theme.strong, interval: 0 }
    : {
        color: theme.text,
        fontSize: 12,
        hideOverlap: true,
        // By default, ECharts shows every nth label. With empty labels, most of the shown labels could be empty.
        ...(categories.some(({ label }) => label === '') && { interval: 0 }),
      }

const gridOf = (kind: ChartData['kind'], isZoomed: boolean) => ({
  left: 4,
  right: kind === 'row' ? 92 : 12,
  top: kind === 'row' ? 0 : 12,
  bottom: isZoomed ? 44 : 4,
  outerBoundsMode: 'same',
  outerBoundsContain: 'axisLabel',
  // By default, the bars keep a quarter of the width, and long labels would move the numbers out of the chart.
  outerBoundsClampWidth: '10%',
})

const zoomOf = (theme: ChartTheme) => [
  // The mouse wheel scrolls the page instead of zooming.
  { type: 'inside', zoomOnMouseWheel: 'ctrl', moveOnMouseMove: false },
  {
    type: 'slider',
    height: 20,
    bottom: 4,
    brushSelect: false,
    borderColor: theme.grid,
    textStyle: { color: theme.text, fontSize: 11 },
    labelFormatter: (_: number, title: string) => title,
  },
]

function lineOf({ kind, categories, events = [] }: ChartData, series: ChartSeries, at: number, theme: ChartTheme) {
  const color = theme.colorOf(series.color)
  const { values } = series
  const isPrevious = series.isPrevious === true
  const isDot = (index: number) =>
    !isPrevious &&
    kind !== 'area' &&
    (values.length <= DOTS_UP_TO || ((values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null))
  return {
    type: 'line',
    name: series.name,
    color,
    ...(kind === 'area' && { stack: 'all' }),
    lineStyle: { width: kind === 'area' || isPrevious ? 1.5 : 2, type: isPrevious ? 'dashed' : 'solid' },
    areaStyle: { opacity: kind === 'area' ? 0.45 : at === 0 && kind === 'line' ? 0.12 : 0 },
    symbolSize: 5,
    showAllSymbol: true,
    data: values.map((value, index) => ({ value: value ?? '-', symbol: isDot(index) ? 'circle' : 'none' })),
    ...(at === 0 && events.length > 0 && { markLine: eventsOf(events, categories, theme) }),
  }
}

const eventsOf = (
  events: NonNullable<ChartData['events']>,
  categories: ChartData['categories'],
  theme: ChartTheme,
) => ({
  symbol: 'none',
  lineStyle: { color: theme.text, type: 'dashed', opacity: 0.35 },
  label: { show: false },
  emphasis: { label: { show: true, formatter: '{b}', color: theme.strong, position: 'insideEndTop' } },
  data: events.map(({ at, name }) => ({ name, xAxis: categories[at] ? findCategoryTitle(categories[at]) : at })),
})

const barOf = ({ kind, categories }: ChartData, series: ChartSeries, _at: number, theme: ChartTheme) => ({
  type: 'bar',
  name: series.name,
  color: theme.colorOf(series.color),
  barMaxWidth: kind === 'row' ? 14 : 28,
  itemStyle: { borderRadius: kind === 'row' ? [0, 3, 3, 0] : [3, 3, 0, 0] },
  label: {
    show: kind === 'row',
    position: 'right',
    color: theme.strong,
    formatter: ({ dataIndex }: { dataIndex: number }) =>
      [(series.values[dataIndex] ?? 0).toLocaleString(), categories[dataIndex]?.note].filter(Boolean).join('  '),
  },
  data: series.values.map((value, at) => ({
    value: value ?? '-',
    cursor: findCategoryLink(series, at) ? 'pointer' : 'default',
  })),
})

function heatOf({ categories, series }: ChartData, theme: ChartTheme): EChartsCoreOption {
  const axis = { type: 'category', axisTick: { show: false }, axisLine: { show: false } }
  const axisLabel = { color: theme.text, fontSize: 12 }
  const most = Math.max(1, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const color = theme.colorOf(series[0]?.color ?? '')
  return {
    grid: { left: 4, right: 4, top: 4, bottom: 4, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
    xAxis: { ...axis, data: categories.map(findCategoryTitle), axisLabel },
    yAxis: { ...axis, data: series.map(({ name }) => name), inverse: true, axisLabel },
    visualMap: { show: false, min: 0, max: most, dimension: 2, inRange: { color, opacity: [0.06, 1] } },
    series: [
      {
        type: 'heatmap',
        itemStyle: { borderColor: theme.ground, borderWidth: 2, borderRadius: 3 },
        data: series.flatMap((one, y) =>
          one.values.map((value, x) => ({
            name: `${one.name} ${findCategoryTitle(categories[x] ?? { label: '' })}`,
            value: [x, y, value ?? 0],
            cursor: findCategoryLink(one, x) ? 'pointer' : 'default',
          })),
        ),
        tooltip: { valueFormatter: undefined },
      },
    ],
  }
}
