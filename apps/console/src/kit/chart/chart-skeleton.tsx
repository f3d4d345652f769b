import { CHART_HEIGHT } from './chart-height.ts'
import './chart.css'

/** Reserves the height of a chart and its tools until the first data of the chart arrives. */
export const ChartSkeleton = ({ height = CHART_HEIGHT }: { readonly height?: number }) => (
  <div className="chart" role="status" aria-label="加载中">
    <div className="chart-head" />
    <div className="chart-stage chart-skeleton" style={{ height }} />
  </div>
)
