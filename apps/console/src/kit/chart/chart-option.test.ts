import { LineChart, BarChart, PieChart, HeatmapChart } from 'echarts/charts'
import {
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
} from 'echarts/components'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import { describe, expect, it } from 'vitest'
import type { ChartData } from './chart-data.ts'
import { listLegendNames, findCategoryLink } from './chart-data.ts'
import { findBandAt, moveMark } from './chart-marks.ts'
import { buildOption } from './chart-option.ts'

use([LineChart, BarChart, PieChart, HeatmapChart, DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent])
use([TooltipComponent, VisualMapContinuousComponent, SVGRenderer])

const theme = {
  text: '#333',
  strong: '#000',
  grid: '#eee',
  ground: '#fff',
  font: 'sans-serif',
  colorOf: (color: string) => color,
}
const NONE: ReadonlySet<string> = new Set()

/** Renders the chart with ECharts without a browser. */
function drawn(data: ChartData, hidden = NONE) {
  const chart = init(null, undefined, { renderer: 'svg', ssr: true, width: 800, height: 300 })
  chart.setOption({ ...buildOption(data, theme, hidden), animation: false })
  const svg = chart.renderToSVGString()
  chart.dispose()
  return { svg, texts: [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text ?? '') }
}

const chartOf = (kind: ChartData['kind'], values: readonly (number | null)[], more: Partial<ChartData> = {}) => ({
  kind,
  categoryTitle: '日期',
  categories: values.map((_, at) => ({ label: `d${at}`, title: `day ${at}` })),
  series: [{ name: '新增', color: '#00f', values, links: values.map((_, at) => `/list?at=${at}`) }],
  ...more,
})

describe('buildOption', () => {
  it.each([1, 2, 3])('an axis that ends at %i has only whole numbers', (top) => {
    for (const kind of ['line', 'column'] as const) {
      const numbers = drawn(chartOf(kind, [0, top, 0])).texts.filter((text) => /^[\d.,]+$/.test(text))
      expect(numbers.length).toBeGreaterThan(1)
      expect(numbers.filter((text) => !/^\d+$/.test(text))).toEqual([])
    }
  })

  it('a chart of 366 days has a zoom control, and a chart of a week has none', () => {
    const zoomOf = (days: number) => buildOption(chartOf('line', Array(days).fill(1)), theme, NONE)['dataZoom']
    expect(zoomOf(366)).toHaveLength(2)
    expect(zoomOf(7)).toBeUndefined()
  })

  it('an axis shows every label when most categories have an empty label', () => {
    const categories = Array.from({ length: 168 }, (_, at) => ({
      label: at % 24 === 0 ? `D${at / 24}` : at % 24 === 12 ? '12:00' : '',
      title: `hour ${at}`,
    }))
    const { texts } = drawn(chartOf('line', Array(168).fill(1), { categories }))
    for (let day = 0; day < 7; day++) expect(texts).toContain(`D${day}`)
  })

  it('a line has a gap where a value is missing, and a single value between gaps is a dot', () => {
    const values = [...Array(40).fill(1), null, 3, null, ...Array(40).fill(1)]
    const [line] = buildOption(chartOf('line', values), theme, NONE)['series'] as [{ data: object[] }]
    expect(line.data[40]).toMatchObject({ value: '-' })
    expect(line.data[41]).toMatchObject({ value: 3, symbol: 'circle' })
    expect(line.data[10]).toMatchObject({ symbol: 'none' })
  })

  it('a chart omits the series that the legend hides', () => {
    const two = chartOf('column', [1, 2], {
      series: [
        { name: '分配', color: '#123456', values: [1, 2] },
        { name: '激活', color: '#654321', values: [3, 4] },
      ],
    })
    expect(drawn(two).svg).toContain('#654321')
    expect(drawn(two, new Set(['激活'])).svg).not.toContain('#654321')
    expect(listLegendNames(two).map(({ name }) => name)).toEqual(['分配', '激活'])
  })

  it('ring, row and heat charts are rendered', () => {
    expect(drawn(chartOf('ring', [1, 2])).svg).toContain('<path')
    expect(drawn(chartOf('row', [1, 2])).texts).toEqual(expect.arrayContaining(['d0', 'd1', '1', '2']))
    expect(drawn(chartOf('heat', [0, 5])).svg).toContain('<path')
  })
})

const BRANDS = ['深圳云栖智能安防设备有限公司春季新品', '杭州西湖区智慧社区便民服务联播一号屏']
it('a row chart shows names of up to 20 characters completely on two lines', () => {
  const rows = chartOf('row', [2, 1], { categories: BRANDS.map((label) => ({ label })) })
  const texts = drawn(rows).texts.join('')
  expect(drawn(rows).texts.filter((text) => /[^\d]/.test(text))).toHaveLength(2 * BRANDS.length)
  for (const name of BRANDS) expect(texts).toContain(name)
  const longer = { ...rows, categories: [{ label: '很'.repeat(60) }, { label: '短' }] }
  expect(drawn(longer).texts.join('')).toContain('…')
})

describe('moveMark', () => {
  const data = chartOf('line', [1, 2], {
    series: [
      { name: 'a', color: '#000', values: [1, 2] },
      { name: 'b', color: '#000', values: [3, 4] },
    ],
  })

  it('arrow keys move between the categories and between the series, and stop at the ends', () => {
    const first = moveMark(data, NONE, undefined, 'ArrowRight')
    expect(first).toEqual({ series: 0, category: 0 })
    expect(moveMark(data, NONE, first, 'ArrowRight')).toEqual({ series: 0, category: 1 })
    expect(moveMark(data, NONE, first, 'ArrowDown')).toEqual({ series: 1, category: 0 })
    expect(moveMark(data, NONE, first, 'ArrowLeft')).toBe(first)
    expect(moveMark(data, NONE, first, 'Tab')).toBeUndefined()
  })

  it('arrow keys skip a series that the legend hides', () => {
    expect(moveMark(data, new Set(['a']), undefined, 'ArrowRight')).toEqual({ series: 1, category: 0 })
    expect(moveMark(data, new Set(['b']), { series: 0, category: 0 }, 'ArrowDown')).toEqual({ series: 0, category: 0 })
  })
})

it('a mark with the value zero has no link', () => {
  const [series] = chartOf('line', [0, 1]).series
  expect(findCategoryLink(series, 0)).toBeUndefined()
  expect(findCategoryLink(series, 1)).toBe('/list?at=1')
})

describe('a stacked chart', () => {
  const data = chartOf('area', [2, 3], {
    series: [
      { name: '甲', color: '#00f', values: [2, 3] },
      { name: '乙', color: '#0f0', values: [1, 4] },
    ],
  })

  it('the axis of a stacked chart ends at the sum of the series', () => {
    expect(drawn(data).texts).toContain('7')
    expect(drawn(chartOf('line', [2, 3])).texts).not.toContain('7')
  })

  it('a click on a stacked chart selects the series at the height of the click', () => {
    expect(findBandAt(data, NONE, 1, 2.5)).toEqual({ series: 0, category: 1 })
    expect(findBandAt(data, NONE, 1, 3.5)).toEqual({ series: 1, category: 1 })
    expect(findBandAt(data, NONE, 1, 7.5)).toBeUndefined()
    expect(findBandAt(data, new Set(['甲']), 1, 1)).toEqual({ series: 1, category: 1 })
  })
})
