import type { ResultOf } from '@oms/contract/kernel/endpoint.ts'
import type { otaGraph } from '@oms/contract/ota-graph.ts'

export type Graph = ResultOf<typeof otaGraph.get>
type Node = Graph['nodes'][number]

const ROW = 30
const AXIS = 92
const LABEL = AXIS + 14
const BAR = 216
const BAR_WIDTH = 120
const WIDTH = BAR + BAR_WIDTH + 56
const MAX_REACH = 104

/**
 * The versions, newest on top, each with an arc to the one its devices get next and a bar of how many they are: reads from
 * two versions to hundreds, and says in red where the way ends too early. The table beside it says the same in words.
 */
export function RangeChart({ graph }: { graph: Graph }) {
  const nodes = [...graph.nodes].reverse()
  const rowOf = new Map(nodes.map(({ verCode }, row) => [verCode, row]))
  const most = Math.max(1, ...nodes.map(({ devices }) => devices))
  return (
    <svg
      className="ota-chart"
      viewBox={`0 0 ${WIDTH} ${nodes.length * ROW}`}
      style={{ maxWidth: WIDTH }}
      role="img"
      aria-label={`${graph.modelName} 的版本路径图，${nodes.length} 个版本`}
    >
      {nodes.map((node) => (
        <Arc key={`a${node.verCode}`} node={node} rowOf={rowOf} />
      ))}
      {nodes.map((node, row) => (
        <Row key={`r${node.verCode}`} node={node} y={middle(row)} share={node.devices / most} />
      ))}
    </svg>
  )
}

const middle = (row: number) => row * ROW + ROW / 2

/** From a version to the one its devices get next; the further, the wider. */
function Arc({ node, rowOf }: { node: Node; rowOf: ReadonlyMap<number | null, number> }) {
  const next = node.path[0]
  const from = rowOf.get(node.verCode)
  const to = next === undefined ? undefined : rowOf.get(next)
  if (from === undefined || to === undefined) return null
  const reach = Math.min(MAX_REACH, 20 + 16 * Math.sqrt(Math.abs(from - to)))
  const [start, end, x] = [middle(from), middle(to), AXIS - 7]
  const changed = node.before !== undefined && node.before.path[0] !== next
  const kind = changed ? 'ota-arc-new' : node.devices > 0 ? 'ota-arc-used' : ''
  return (
    <g className={`ota-arc ${kind}`}>
      <path d={`M ${x} ${start} C ${x - reach} ${start}, ${x - reach} ${end}, ${x - 5} ${end}`} />
      <path className="ota-arc-head" d={`M ${x - 7} ${end - 4} L ${x} ${end} L ${x - 7} ${end + 4} Z`} />
    </g>
  )
}

function Row({ node, y, share }: { node: Node; y: number; share: number }) {
  const { verCode, devices, stranded, isEnabled, isDraft } = node
  const kind = isDraft ? 'ota-node-draft' : isEnabled ? 'ota-node-enabled' : ''
  const width = devices > 0 ? Math.max(3, share * BAR_WIDTH) : 0
  const lost = devices > 0 ? (width * stranded) / devices : 0
  return (
    <g>
      <circle className={`ota-node ${kind} ${stranded > 0 ? 'ota-node-lost' : ''}`} cx={AXIS} cy={y} r={6} />
      <text className={isEnabled ? 'ota-label-enabled' : 'ota-label'} x={LABEL} y={y + 4}>
        {verCode ?? '未上报'}
        {isDraft ? '（预演）' : ''}
      </text>
      <rect className="ota-bar" x={BAR} y={y - 7} width={width} height={14} rx={3} />
      {lost > 0 && <rect className="ota-bar-lost" x={BAR} y={y - 7} width={lost} height={14} rx={3} />}
      {devices > 0 && (
        <text className="ota-label" x={BAR + width + 6} y={y + 4}>
          {devices}
        </text>
      )}
    </g>
  )
}
