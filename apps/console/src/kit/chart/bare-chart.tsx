import type { ChartData } from './chart-data.ts'
import { useChartEngine } from './use-chart-engine.ts'
import './chart.css'

interface BareChartProps {
  readonly name: string
  readonly data: ChartData
  readonly isUrgent?: boolean
}

/** Renders a chart without links, legend and tools in the size of its parent: for the big screen. */
export function BareChart({ name, data, isUrgent = false }: BareChartProps) {
  const { engine } = useChartEngine(isUrgent)
  return <div className="chart chart-bare">{engine && <engine.ChartCanvas name={name} data={data} />}</div>
}
