import type { ECharts } from 'echarts/core'
import { type ChartData, findCategoryLink, findCategoryTitle } from './chart-data.ts'

/** A mark: the index of its series and of its category. */
export interface ChartMark {
  readonly series: number
  readonly category: number
}

const STEPS: Readonly<Record<string, readonly [series: number, category: number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
}

/** Returns the mark that an arrow key moves to; undefined for other keys. Skips series hidden by the legend. */
export function moveMark(data: ChartData, hidden: ReadonlySet<string>, mark: ChartMark | undefined, key: string) {
  const isAlong = data.kind === 'row' || data.kind === 'ring'
  const [bySeries = 0, byCategory = 0] = STEPS[key] ?? []
  const ways = isAlong ? [0, byCategory + bySeries] : [bySeries, byCategory]
  if (ways.every((way) => way === 0)) return undefined
  const start = mark ?? { series: 0, category: -1 }
  let next = mark ? step(start, ways) : { series: 0, category: 0 }
  while (isInside(data, next) && isHidden(data, hidden, next))
    next = step(next, mark ? ways : isAlong ? [0, 1] : [1, 0])
  return isInside(data, next) ? next : mark
}

const step = ({ series, category }: ChartMark, [bySeries = 0, byCategory = 0]: readonly number[]) => ({
  series: series + bySeries,
  category: category + byCategory,
})
const isInside = ({ series, categories }: ChartData, at: ChartMark) =>
  at.series >= 0 && at.category >= 0 && at.series < series.length && at.category < categories.length

function isHidden({ kind, series, categories }: ChartData, hidden: ReadonlySet<string>, at: ChartMark) {
  const category = categories[at.category]
  const name = kind === 'ring' ? category && findCategoryTitle(category) : series[at.series]?.name
  return name !== undefined && hidden.has(name)
}

/** Returns the mark for a click in a row, line or stacked chart: the row, the linked value nearest to the pointer, or the band. */
export function findMarkAt(chart: ECharts, data: ChartData, hidden: ReadonlySet<string>, pointer: MouseEvent) {
  const { left, top } = chart.getDom().getBoundingClientRect()
  const point = [pointer.clientX - left, pointer.clientY - top]
  if (!chart.containPixel({ gridIndex: 0 }, point)) return undefined
  const [x = 0, y = 0] = chart.convertFromPixel({ gridIndex: 0 }, point)
  if (data.kind === 'row') return { series: 0, category: Math.round(y) }
  const category = Math.round(x)
  if (data.kind === 'area') return findBandAt(data, hidden, category, y)
  const distance = (at: number) => Math.abs((data.series[at]?.values[category] ?? 0) - y)
  const [series] = data.series
    .flatMap((one, at) => (!hidden.has(one.name) && findCategoryLink(one, category) ? [at] : []))
    .sort((a, b) => distance(a) - distance(b))
  return series === undefined ? undefined : { series, category }
}

/** Returns the band of a stacked chart at a height; undefined above the highest band. */
export function findBandAt({ series }: ChartData, hidden: ReadonlySet<string>, category: number, height: number) {
  let top = 0
  const found = series.findIndex(({ name, values }) => {
    if (!hidden.has(name)) top += values[category] ?? 0
    return !hidden.has(name) && height <= top
  })
  return found < 0 ? undefined : { series: found, category }
}

/** Returns the mark of an ECharts click event; ECharts numbers all cells of a heat map as one series. */
export const findMarkOfClick = (
  { kind, categories }: ChartData,
  at: { seriesIndex?: number; dataIndex: number },
): ChartMark =>
  kind === 'heat'
    ? { series: Math.floor(at.dataIndex / categories.length), category: at.dataIndex % categories.length }
    : { series: at.seriesIndex ?? 0, category: at.dataIndex }
