import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { useKnownPages } from '#core/routing/known-pages.ts'
import { type ChartData, type ChartSeries, listLegendNames } from './chart-data.ts'
import { CHART_HEIGHT, computeRowChartHeight } from './chart-height.ts'
import { ChartTable } from './chart-table.tsx'
import { toCssColor } from './palette.ts'
import { type ChartEngine, useChartEngine } from './use-chart-engine.ts'
import './chart.css'

interface ChartProps {
  /** Title of the exported picture, and accessible name. */
  readonly name: string
  readonly data: ChartData
  readonly height?: number
  /** Receives the link of a mark that the user opens. Default: opens the link as a URL of the console. */
  onOpen?(link: string): void
}

/** Renders a chart with its legend, a table of the values and a picture export. Does not use antd. */
export function Chart({ name, data: given, height = heightOf(given), onOpen }: ChartProps) {
  const known = useKnownLinks(given)
  const data = onOpen ? given : known
  const { engine, hasFailed, retry } = useChartEngine(false)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [isTable, setTable] = useState(false)
  const navigate = useNavigate()
  const toggle = (legend: string) => {
    const next = new Set(hidden)
    if (!next.delete(legend)) next.add(legend)
    setHidden(next)
  }
  return (
    <div className="chart">
      <div className="chart-head">
        {!isTable && <Legend data={data} hidden={hidden} onToggle={toggle} />}
        <span className="chart-tools">
          {engine && !isTable && <SavePicture {...{ engine, name, data, hidden, height }} />}
          {!hasFailed && <Tool onClick={() => setTable(!isTable)}>{isTable ? '看图' : '看表格'}</Tool>}
          {hasFailed && <Tool onClick={retry}>图表加载失败，重试</Tool>}
        </span>
      </div>
      {isTable || hasFailed ? (
        <ChartTable {...{ name, data, onOpen }} />
      ) : (
        <div className={`chart-stage${engine ? '' : ' chart-skeleton'}`} style={{ height }} aria-busy={!engine}>
          {engine && <engine.ChartCanvas {...{ name, data, hidden }} onOpen={onOpen ?? ((to) => void navigate(to))} />}
        </div>
      )}
    </div>
  )
}

/** Removes the links of lists that the account may not open. */
function useKnownLinks(data: ChartData): ChartData {
  const isKnown = useKnownPages()
  const isOpen = ({ links }: ChartSeries) => links?.every((link) => !link || isKnown(link)) !== false
  if (data.series.every(isOpen)) return data
  return { ...data, series: data.series.map((one) => (isOpen(one) ? one : { ...one, links: [] })) }
}

const heightOf = ({ kind, categories }: ChartData) =>
  kind === 'row' ? computeRowChartHeight(categories.length) : CHART_HEIGHT

const Tool = ({ onClick, children }: { onClick(): void; children: ReactNode }) => (
  <button type="button" className="chart-tool" onClick={onClick}>
    {children}
  </button>
)

interface LegendProps {
  readonly data: ChartData
  readonly hidden: ReadonlySet<string>
  onToggle(name: string): void
}

/** Shows and hides series. The legend consists of buttons, because a canvas legend has no keyboard access. */
function Legend({ data, hidden, onToggle }: LegendProps) {
  return (
    <span className="chart-legend" role="group" aria-label="图例">
      {listLegendNames(data).map(({ name, color, note }) => (
        <button key={name} type="button" aria-pressed={!hidden.has(name)} onClick={() => onToggle(name)}>
          <i style={{ background: toCssColor(color) }} aria-hidden />
          {name}
          {note && <b>{note}</b>}
        </button>
      ))}
    </span>
  )
}

interface SavePictureProps {
  readonly engine: ChartEngine
  readonly name: string
  readonly data: ChartData
  readonly hidden: ReadonlySet<string>
  readonly height: number
}

function SavePicture({ engine, name, data, hidden, height }: SavePictureProps) {
  const save = () => {
    const link = document.createElement('a')
    link.href = engine.renderPicture(name, data, hidden, height)
    link.download = `${name}.png`
    link.click()
  }
  return <Tool onClick={save}>保存图片</Tool>
}
