import { Alert } from 'antd'
import type { Graph } from './range-chart.tsx'

const span = ({ from, to }: { from: number; to: number }) => (from === to ? String(from) : `${from}～${to}`)

/** What the graph means, in sentences: how many devices have no way, where ranges leave out numbers or get in each other's. */
export function RangeWords({ graph }: { graph: Graph }) {
  const { newest, devices, stranded, gaps, overlaps, useless } = graph
  if (newest === null) return <Alert type="info" showIcon title="该型号还没有已启用的版本" />
  return (
    <div className="ota-range-words">
      <Effect graph={graph} />
      {stranded > 0 ? (
        <Alert type="warning" showIcon title={`${stranded} 台设备没有可用路径到达最新版本 ${newest}`} />
      ) : (
        <Alert type="success" showIcon title={`${devices} 台设备都能到达最新版本 ${newest}`} />
      )}
      {gaps.length > 0 && (
        <Some
          title="没有版本适用（空档）"
          items={gaps.map((gap) => `${span(gap)}${gap.devices > 0 ? `（${gap.devices} 台设备）` : ''}`)}
        />
      )}
      {useless.length > 0 && <Some title="不会下发（更高的版本已全部覆盖）" items={useless.map(String)} />}
      {overlaps.length > 0 && (
        <Some
          title="多个版本同时适用（设备取最高）"
          items={overlaps.map(({ winner, others, ...at }) => `${span(at)} 取 ${winner}，不取 ${listed(others)}`)}
        />
      )}
    </div>
  )
}

const listed = (codes: readonly number[]) =>
  codes.length > 3 ? `${codes.slice(0, 3).join('、')} 等 ${codes.length} 个` : codes.join('、')

function Effect({ graph: { effect } }: { graph: Graph }) {
  if (!effect) return null
  return <Alert type="info" showIcon title={effectWords(effect)} />
}

/** What enabling the draft would do. */
export function effectWords({ verCode, offered, freed, newlyStranded }: NonNullable<Graph['effect']>) {
  const rest = [
    freed > 0 ? `${freed} 台设备因此能到达最新版本` : '',
    newlyStranded > 0 ? `${newlyStranded} 台设备将没有可用路径到达最新版本` : '',
  ].filter(Boolean)
  return [`启用 ${verCode} 后：下一步升级到它的设备 ${offered} 台`, ...rest].join('；')
}

const MOST = 8

const Some = ({ title, items }: { title: string; items: readonly string[] }) => (
  <details className="ota-some" open={items.length <= 3}>
    <summary>
      {title} {items.length} 处
    </summary>
    <ul>
      {items.slice(0, MOST).map((item) => (
        <li key={item}>{item}</li>
      ))}
      {items.length > MOST && <li>等 {items.length} 处</li>}
    </ul>
  </details>
)
