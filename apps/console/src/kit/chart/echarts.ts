import { BarChart, HeatmapChart, LineChart, PieChart } from 'echarts/charts'
import {
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
} from 'echarts/components'
import { type EChartsCoreOption, init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import type { ChartTheme } from './chart-theme.ts'

use([
  BarChart,
  HeatmapChart,
  LineChart,
  PieChart,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
  CanvasRenderer,
])

export const createChart = (element: HTMLElement) => init(element, undefined, { locale: 'ZH', renderer: 'canvas' })

/** Returns a PNG of the chart with title and legend as a data URL. */
export function renderChartImage(title: string, option: EChartsCoreOption, theme: ChartTheme, height: number) {
  const stage = document.createElement('div')
  const chart = init(stage, undefined, { locale: 'ZH', width: 1200, height: height + 72, devicePixelRatio: 2 })
  const { legend, grid, series } = option as {
    legend: object
    grid?: object
    series: readonly object[]
  }
  const below = { top: 72 }
  chart.setOption({
    ...option,
    title: { text: title, left: 'center', top: 8, textStyle: { color: theme.strong, fontSize: 16 } },
    legend: { ...legend, show: series.length > 1 || !grid, top: 36, textStyle: { color: theme.text } },
    ...(grid ? { grid: { ...grid, ...below } } : { series: series.map((one) => ({ ...one, center: ['50%', '58%'] })) }),
  })
  const url = chart.getDataURL({ type: 'png', backgroundColor: theme.ground })
  chart.dispose()
  return url
}
