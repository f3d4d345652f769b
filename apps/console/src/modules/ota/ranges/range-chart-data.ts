import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import type { otaGraph } from '@oms/contract/ota/ota-graph.ts'
import type { ChartArrow, ChartData } from '#kit/chart/chart-data.ts'

export type UpgradeGraph = ResultOf<typeof otaGraph.get>
type Node = UpgradeGraph['nodes'][number]

/** Returns the versions as rows, newest first, with an arrow from each version to the next one of its devices. */
export function buildRangeChart(graph: UpgradeGraph): ChartData {
  const nodes = [...graph.nodes].reverse()
  const rowOf = new Map(nodes.map(({ verCode }, row) => [verCode, row]))
  return {
    kind: 'flow',
    categoryTitle: '版本号',
    categories: nodes.map((node) => ({ label: labelOf(node), note: noteOf(node), color: colorOf(node) })),
    series: [
      {
        name: '可以升级到最新版本的设备',
        color: '--ant-color-primary',
        values: nodes.map(({ devices, stranded }) => devices - stranded),
      },
      { name: '无法升级到最新版本的设备', color: '--ant-color-error', values: nodes.map(({ stranded }) => stranded) },
    ],
    arrows: nodes.flatMap((node, from) => arrowsOf(node, from, rowOf)),
  }
}

const labelOf = ({ verCode, isDraft }: Node) => `${verCode ?? '未上报'}${isDraft ? '（预演）' : ''}`
const noteOf = ({ path: [next] }: Node) => (next === undefined ? '' : `下一步升级到 ${next}`)

function colorOf({ isDraft, isEnabled, stranded }: Node) {
  if (stranded > 0) return '--ant-color-error'
  if (isDraft) return '--ant-color-warning'
  return isEnabled ? '--ant-color-primary' : '--ant-color-text-quaternary'
}

/** Dashed: the next version changes when the draft is enabled. */
function arrowsOf({ path: [next], before, devices }: Node, from: number, rowOf: ReadonlyMap<number | null, number>) {
  const to = next === undefined ? undefined : rowOf.get(next)
  if (to === undefined) return []
  const isDashed = before !== undefined && before.path[0] !== next
  const color = isDashed ? '--ant-color-warning' : devices > 0 ? '--ant-color-primary' : '--ant-color-text-quaternary'
  return [{ from, to, color, isDashed } satisfies ChartArrow]
}
