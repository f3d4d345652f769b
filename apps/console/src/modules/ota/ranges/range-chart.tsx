import { Chart } from '#kit/chart/chart.tsx'
import { buildRangeChart, type UpgradeGraph } from './range-chart-data.ts'

/** Upgrade paths of a model: one row per version with its devices, and arrows to the next version. */
export const RangeChart = ({ graph }: { graph: UpgradeGraph }) => (
  <Chart name={`${graph.modelName} 的版本路径图，${graph.nodes.length} 个版本`} data={buildRangeChart(graph)} />
)
