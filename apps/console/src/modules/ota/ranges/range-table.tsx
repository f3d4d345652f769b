import { formatVersionRange } from '@oms/contract/ota/version-range.ts'
import type { UpgradeGraph } from './range-chart-data.ts'

type Node = UpgradeGraph['nodes'][number]

/** Table view of the version graph for screen readers and exact figures. */
export function RangeTable({ graph }: { graph: UpgradeGraph }) {
  const nodes = [...graph.nodes].reverse()
  return (
    <div className="ota-range-table">
      <table>
        <caption className="sr-only">各版本的设备数与升级路径</caption>
        <thead>
          <tr>
            <th scope="col">版本号</th>
            <th scope="col" className="ota-number">
              设备数
            </th>
            <th scope="col">适用旧版本</th>
            <th scope="col">升级路径</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <tr key={node.verCode}>
              <th scope="row">
                {node.verCode ?? '未上报'}
                {node.isDraft && '（预演）'}
              </th>
              <td className="ota-number">{node.devices}</td>
              <td>{node.isEnabled ? formatVersionRange(node) : '-'}</td>
              <td>
                <Way node={node} newest={graph.newest} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const SHOWN = 4
const wayOf = (path: readonly number[]) =>
  path.length > SHOWN
    ? `${path.slice(0, SHOWN - 1).join(' → ')} → … → ${path.at(-1)}（${path.length} 步）`
    : path.join(' → ')

function Way({ node: { path, verCode, stranded, devices, before }, newest }: { node: Node; newest: number | null }) {
  const isEnd = path.length === 0
  const words = isEnd ? (verCode !== null && verCode >= (newest ?? 0) ? '已是最新' : '没有可用升级') : wayOf(path)
  const changed = before !== undefined && before.path.join() !== path.join()
  return (
    <>
      {words}
      {stranded > 0 && (
        <span className="ota-bad">
          {' '}
          {stranded === devices ? '无法升级到最新版本' : `${stranded} 台无法升级到最新版本`}
        </span>
      )}
      {changed && (
        <small className="ota-was">原为 {before.path.length === 0 ? '没有可用升级' : wayOf(before.path)}</small>
      )}
    </>
  )
}
