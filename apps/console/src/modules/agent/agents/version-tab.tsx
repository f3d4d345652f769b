import { type AgentDetail } from '@oms/contract/agent/agents/agent.ts'
import { agentVersions, VERSION_SOURCE, type VersionRow } from '@oms/contract/agent/agents/agent-version.ts'
import { ERASURE_WARNING } from '@oms/contract/agent/agents/agent-input.ts'
import { Alert, Space, Tag } from 'antd'
import { useState } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { Time } from '#kit/record/time.tsx'
import './agent.css'

const ReachDialog = lazyAfterRender(() => import('./candidate-dialog.tsx'), 'ReachDialog')
const DiffDialog = lazyAfterRender(() => import('./version-diff.tsx'), 'DiffDialog')

/** Versions of an agent, newest first, and the candidate next to the version in force. */
export function VersionTab({ agent }: { agent: AgentDetail }) {
  const { data, error, refetch } = useRead(agentVersions.list, { id: agent.id }, { quiet: true })
  const [compared, setCompared] = useState<number>()
  if (!data) return <Waiting reads={[{ error, refetch }]} />
  return (
    <>
      {agent.candidateNo !== null && <Candidate agent={agent} versions={data.list} onCompare={setCompared} />}
      <ul className="agent-versions">
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

const eraseText = ({ erases = '' }: Partial<VersionRow> = {}) => (erases ? ERASURE_WARNING[erases] : '')
/** Returns the field with which a request confirms the erasure. The dialog names the data that is erased. */
const erasure = ({ erases = '' }: Partial<VersionRow> = {}) => ({ confirmErase: erases ? 1 : 0 })

interface VersionProps {
  readonly agent: AgentDetail
  readonly version: VersionRow
  onCompare(versionNo: number): void
}

const changedText = ({ versionNo, changed }: VersionRow) =>
  changed.length > 0 ? `修改：${changed.join('、')}` : versionNo === 1 ? '首个版本' : '没有字段变化'

function Version({ agent, version, onCompare }: VersionProps) {
  const { versionNo, source, note, createName, createTime, sessions, turns } = version
  const restore = useWrite(agentVersions.restore)
  const isCurrent = versionNo === agent.versionNo
  const actions = isCurrent
    ? []
    : [
        { label: '对比当前', to: agentVersions.diff, onClick: () => onCompare(versionNo) },
        {
          label: '恢复',
          to: agentVersions.restore,
          confirm: `恢复版本 v${versionNo}？将生成一个新版本，设备下次连接时生效。${eraseText(version)}`,
          onClick: () => restore.mutateAsync({ id: agent.id, versionNo, rev: agent.rev, ...erasure(version) }),
        },
      ]
  return (
    <li>
      <div>
        <Space size={8} wrap>
          <b>v{versionNo}</b>
          {isCurrent && <Tag color="success">当前</Tag>}
          {versionNo === agent.candidateNo && <Tag color="processing">候选</Tag>}
          <span>{VERSION_SOURCE[source as keyof typeof VERSION_SOURCE]}</span>
          {note && <span>{note}</span>}
        </Space>
        <div className="agent-quiet">{changedText(version)}</div>
        <small>
          <Time at={createTime} /> {createName} · 30 日 {sessions} 次对话 {turns} 轮
        </small>
      </div>
      <RowActions items={actions} />
    </li>
  )
}

interface CandidateProps {
  readonly agent: AgentDetail
  readonly versions: readonly VersionRow[]
  onCompare(versionNo: number): void
}

/** Shows the figures of the candidate and of the version in force, and the actions that end the candidate. */
function Candidate({ agent, versions, onCompare }: CandidateProps) {
  const [isOpen, setOpen] = useState(false)
  const { candidateNo, candidateShare, candidateDeviceIds, versionNo } = agent
  const figures = (no: number | null) => {
    const found = versions.find((version) => version.versionNo === no)
    const perSession = found && found.sessions > 0 ? (found.turns / found.sessions).toFixed(1) : '-'
    return `v${no}：${found?.sessions ?? 0} 次对话，每次 ${perSession} 轮`
  }
  const candidate = versions.find((version) => version.versionNo === candidateNo)
  const actions = useDecisions(agent, candidate, { onCompare, onReach: () => setOpen(true) })
  return (
    <>
      <Alert
        type="info"
        className="agent-notice"
        title={`候选版本 v${candidateNo}：${candidateShare}% 的设备，另指定 ${candidateDeviceIds.length} 台`}
        description={
          <Space size={16} wrap>
            <span>{figures(versionNo)}</span>
            <span>{figures(candidateNo)}</span>
            <RowActions items={actions} shown={4} />
          </Space>
        }
      />
      {isOpen && <ReachDialog agent={agent} onClose={() => setOpen(false)} />}
    </>
  )
}

/**
 * Returns a warning when versions were saved after the candidate, because the candidate does not contain their changes.
 */
const laterText = (versionNo: number, candidateNo: number | null) =>
  candidateNo !== null && versionNo > candidateNo
    ? `候选版本之后保存的修改（至 v${versionNo}）不包含在内，可先对比当前版本。`
    : ''

interface Decisions {
  onCompare(versionNo: number): void
  onReach(): void
}

/** Returns the actions on the candidate: compare, change its percentage and devices, accept and discard. */
function useDecisions(
  { id, rev, versionNo, candidateNo }: AgentDetail,
  candidate: VersionRow | undefined,
  { onCompare, onReach }: Decisions,
) {
  const take = useWrite(agentVersions.take)
  const drop = useWrite(agentVersions.drop)
  return [
    { label: '对比当前', to: agentVersions.diff, onClick: () => onCompare(candidateNo ?? 0) },
    { label: '调整范围', to: agentVersions.reach, onClick: onReach },
    {
      label: '采用',
      to: agentVersions.take,
      confirm: `采用候选版本？所有设备下次连接时生效。${laterText(versionNo, candidateNo)}${eraseText(candidate)}`,
      onClick: () => take.mutateAsync({ id, rev, ...erasure(candidate) }),
    },
    {
      label: '放弃',
      to: agentVersions.drop,
      danger: true as const,
      confirm: '放弃候选版本？得到候选版本的设备下次连接时回到当前版本。',
      onClick: () => drop.mutateAsync({ id, rev }),
    },
  ]
}
