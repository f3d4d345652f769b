import { Alert } from 'antd'
import type { UpgradeGraph } from './range-chart-data.ts'

const span = ({ from, to }: { from: number; to: number }) => (from === to ? String(from) : `${from}～${to}`)

/** Summarises the graph: devices without an upgrade path, versions without a match, and overlapping ranges. */
export function VersionRangeDescription({ graph }: { graph: UpgradeGraph }) {
  const { newest, devices, stranded, gaps, overlaps, useless } = graph
  if (newest === null) return <Alert type="info" showIcon title="该型号还没有已启用的版本" />
  return (
    <div className="ota-range-words">
      <Effect graph={graph} />
      {stranded > 0 ? (
        <Alert type="warning" showIcon title={`${stranded} 台设备无法升级到最新版本 ${newest}`} />
      ) : (
        <Alert type="success" showIcon title={`${devices} 台设备都能升级到最新版本 ${newest}`} />
      )}
      {gaps.length > 0 && (
        <Some
          title="以下版本无法升级"
          items={gaps.map((gap) => `${span(gap)}${gap.devices > 0 ? `（${gap.devices} 台设备）` : ''}`)}
        />
      )}
      {useless.length > 0 && <Some title="不会下发，更高的版本已全部覆盖" items={useless.map(String)} />}
      {overlaps.length > 0 && (
        <Some
          title="多个版本同时适用，设备取最高"
          items={overlaps.map(({ winner, ...at }) => `${span(at)} 直接升级到 ${winner}`)}
        />
      )}
    </div>
  )
}

function Effect({ graph: { effect } }: { graph: UpgradeGraph }) {
  if (!effect) return null
  return <Alert type="info" showIcon title={describeRangeEffect(effect)} />
}

/** Describes the effect of enabling the draft. */
export function describeRangeEffect({ verCode, offered, freed, newlyStranded }: NonNullable<UpgradeGraph['effect']>) {
  const rest = [
    freed > 0 ? `${freed} 台设备因此能升级到最新版本` : '',
    newlyStranded > 0 ? `${newlyStranded} 台设备将无法升级到最新版本` : '',
  ].filter(Boolean)
  return [`启用后，${offered} 台设备可升级到 ${verCode}`, ...rest].join('；')
}

const MAX_RANGES = 8

const Some = ({ title, items }: { title: string; items: readonly string[] }) => (
  <details className="ota-some" open={items.length <= 3}>
    <summary>
      {title}（{items.length}）
    </summary>
    <ul>
      {items.slice(0, MAX_RANGES).map((item) => (
        <li key={item}>{item}</li>
      ))}
      {items.length > MAX_RANGES && <li>等 {items.length} 处</li>}
    </ul>
  </details>
)
