import { type AgentDetail } from '@oms/contract/agent/agents/agent.ts'
import { agentVersions, VERSION_SOURCE, type VersionRow } from '@oms/contract/agent/agents/agent-version.ts'
import { ERASURE_WARNING } from '@oms/contract/agent/agents/agent-input.ts'
import { Space, Tag } from 'antd'
import { useState } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { Time } from '#kit/record/time.tsx'

const DiffDialog = lazyAfterRender(() => import('./version-diff.tsx'), 'DiffDialog')

/** Versions of an agent, newest first. */
export function VersionTab({ agent }: { agent: AgentDetail }) {
  const { data, error, refetch } = useRead(agentVersions.list, { id: agent.id }, { quiet: true })
  const [compared, setCompared] = useState<number>()
  if (!data) return <Waiting reads={[{ error, refetch }]} />
  return (
    <>
      <ul className="kit-items">
        {data.list.map((version) => (
          <Version key={version.versionNo} agent={agent} version={version} onCompare={setCompared} />
        ))}
      </ul>
      {compared !== undefined && (
        <DiffDialog agentId={agent.id} versionNo={compared} onClose={() => setCompared(undefined)} />
      )}
    </>
  )
}

interface VersionProps {
  readonly agent: AgentDetail
  readonly version: VersionRow
  onCompare(versionNo: number): void
}

const changedText = ({ versionNo, changed }: VersionRow) =>
  changed.length > 0 ? `修改：${changed.join('、')}` : versionNo === 1 ? '首个版本' : '没有字段变化'

function Version({ agent, version, onCompare }: VersionProps) {
  const { versionNo, source, note, createName, createTime, sessions, turns, erases } = version
  const restore = useWrite(agentVersions.restore)
  const isCurrent = versionNo === agent.versionNo
  const actions = isCurrent
    ? []
    : [
        { label: '对比当前', to: agentVersions.diff, onClick: () => onCompare(versionNo) },
        {
          label: '恢复',
          to: agentVersions.restore,
          confirm: `恢复版本 v${versionNo}？将生成一个新版本，设备下次连接时生效。${erases ? ERASURE_WARNING[erases] : ''}`,
          // The confirmation dialog above names the data that is erased.
          onClick: () => restore.mutateAsync({ id: agent.id, versionNo, rev: agent.rev, confirmErase: erases ? 1 : 0 }),
        },
      ]
  return (
    <li className="kit-row">
      <div className="kit-main">
        <Space size={8} wrap>
          <b>v{versionNo}</b>
          {isCurrent && <Tag color="success">当前</Tag>}
          <span>{VERSION_SOURCE[source as keyof typeof VERSION_SOURCE]}</span>
          {note && <span>{note}</span>}
        </Space>
        <div className="kit-muted">{changedText(version)}</div>
        <small>
          <Time at={createTime} /> {createName} · 30 日 {sessions} 次对话 {turns} 轮
        </small>
      </div>
      <RowActions items={actions} />
    </li>
  )
}
