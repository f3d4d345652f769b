import type { ECharts } from 'echarts/core'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useColorScheme } from '#core/theme/color-scheme.ts'
import { type ChartData, findCategoryLink, findCategoryTitle } from './chart-data.ts'
import { buildOption } from './chart-option.ts'
import { type ChartMark, findMarkAt, findMarkOfClick, moveMark } from './chart-marks.ts'
import { readTheme } from './chart-theme.ts'
import { createChart, renderChartImage } from './echarts.ts'
import './chart.css'

interface ChartCanvasProps {
  readonly name: string
  readonly data: ChartData
  readonly hidden?: ReadonlySet<string>
  /** Opens the URL of a mark; without this function marks are not clickable. */
  onOpen?(to: string): void
}

/** Chart kinds where a click beside a mark selects the nearest mark, because lines and short rows are hard to hit. */
const POSITIONED: ReadonlySet<ChartData['kind']> = new Set(['line', 'area', 'row'])
const NOTHING: ReadonlySet<string> = new Set()

/**
 * Renders a chart in the size of its parent. The arrow keys move between marks and announce each mark; Enter or a
 * click opens the mark's URL.
 */
export function ChartCanvas({ name, data, hidden = NOTHING, onOpen }: ChartCanvasProps) {
  const holder = useRef<HTMLDivElement>(null)
  const open = (at: ChartMark | undefined) => {
    const to = at && findCategoryLink(data.series[at.series], at.category)
    if (to) onOpen?.(to)
  }
  const chart = useDrawnChart(holder, data, hidden, open)
  const { mark, onKeyDown, onBlur } = useMarkKeys({ data, hidden, chart, onOpen: open })
  const onClick = (event: { nativeEvent: MouseEvent }) => {
    if (!POSITIONED.has(data.kind)) return
    if (onOpen && chart.current) open(findMarkAt(chart.current, data, hidden, event.nativeEvent))
  }
  return (
    <>
      {/* oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions -- marks are drawn on a canvas, so the container handles the keys */}
      <div
        ref={holder}
        className="chart-canvas"
        role="img"
        aria-label={`${name}：${summaryOf(data)}`}
        aria-roledescription="图表"
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={onBlur}
        onClick={onClick}
      />
      <span className="chart-spoken" role="status">
        {mark && wordsOf(data, mark)}
      </span>
    </>
  )
}

interface MarkKeys {
  readonly data: ChartData
  readonly hidden: ReadonlySet<string>
  readonly chart: React.RefObject<ECharts | undefined>
  onOpen(mark: ChartMark | undefined): void
}

/** Keeps the mark that the arrow keys selected. */
function useMarkKeys({ data, hidden, chart, onOpen }: MarkKeys) {
  const [mark, setMark] = useState<ChartMark>()
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') return onOpen(mark)
    const next = moveMark(data, hidden, mark, event.key)
    if (!next) return
    event.preventDefault()
    setMark(next)
    chart.current?.dispatchAction({ type: 'showTip', ...pointOf(data, next) })
  }
  const onBlur = () => {
    setMark(undefined)
    chart.current?.dispatchAction({ type: 'hideTip' })
  }
  return { mark, onKeyDown, onBlur }
}

/** Converts an index for ECharts, which numbers all cells of a heat map as one series. */
const pointOf = ({ kind, categories }: ChartData, { series, category }: ChartMark) =>
  kind === 'heat'
    ? { seriesIndex: 0, dataIndex: series * categories.length + category }
    : { seriesIndex: series, dataIndex: category }

function wordsOf({ categories, series }: ChartData, mark: ChartMark) {
  const category = categories[mark.category]
  const one = series[mark.series]
  if (!category || !one) return ''
  const value = one.values[mark.category] ?? '无数据'
  const words = [findCategoryTitle(category), one.name, value, category.note].filter(
    (word) => word !== undefined && word !== '',
  )
  return `${words.join(' ')}${findCategoryLink(one, mark.category) ? '，按回车查看' : ''}`
}

/** Returns a text summary: the sum of each series, or the values of short series. */
function summaryOf({ categories, series }: ChartData) {
  const [first] = series
  if (series.length === 1 && first && categories.length <= 31)
    return categories.map((category, at) => `${findCategoryTitle(category)} ${first.values[at] ?? '无数据'}`).join('，')
  const sum = (values: readonly (number | null)[]) => values.reduce<number>((total, value) => total + (value ?? 0), 0)
  return series.map(({ name, values }) => `${name}共 ${sum(values)}`).join('，')
}

/** ECharts otherwise keeps the parts of the earlier option that the new option lacks. */
const REPLACE = { notMerge: true }

/** Keeps one ECharts instance updated with the data, the theme and the size of its element. */
function useDrawnChart(
  holder: React.RefObject<HTMLDivElement | null>,
  data: ChartData,
  hidden: ReadonlySet<string>,
  onMark: (mark: ChartMark) => void,
) {
  const chart = useRef<ECharts>(undefined)
  const shade = useColorScheme()
  const [isSized, setSized] = useState(false)
  // Pages create new data objects on each render; the chart is redrawn only when the content changed.
  const content = JSON.stringify(data)
  useEffect(() => {
    const element = holder.current
    if (!element) return
    // An element in a hidden tab has no size.
    const observer = new ResizeObserver(([entry]) => {
      if (!entry || entry.contentRect.width === 0 || entry.contentRect.height === 0) return
      if (chart.current) return chart.current.resize()
      chart.current = createChart(element)
      setSized(true)
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.current?.dispose()
      chart.current = undefined
      setSized(false)
    }
  }, [holder])
  useEffect(() => {
    // The colour scheme affects the option through custom properties of the element.
    if (isSized && shade && holder.current)
      chart.current?.setOption(buildOption(JSON.parse(content), readTheme(holder.current), hidden), REPLACE)
  }, [isSized, content, hidden, shade, holder])
  useEffect(() => {
    const drawn = chart.current
    if (!isSized || !drawn || POSITIONED.has(data.kind)) return
    const onClick = (event: { seriesIndex?: number; dataIndex: number }) => onMark(findMarkOfClick(data, event))
    drawn.on('click', onClick as never)
    // The effect of the element may have disposed the instance before.
    return () => void (drawn.isDisposed() || drawn.off('click', onClick))
  })
  return chart
}

/** Returns a PNG of a chart as a data URL, in the colours of the page. */
export function renderPicture(name: string, data: ChartData, hidden: ReadonlySet<string>, height: number) {
  const theme = readTheme(document.querySelector('.chart') ?? document.body)
  return renderChartImage(name, buildOption(data, theme, hidden), theme, height)
}
