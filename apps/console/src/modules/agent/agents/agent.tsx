import { type AgentRow, agents } from '@oms/contract/agent/agents/agent.ts'
import { Tag, Tooltip } from 'antd'
import { PermittedLink } from '#kit/record/known-link.tsx'
import './agent.css'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useNavigate } from 'react-router'
import { useStatusAction } from '#kit/list/record-actions.tsx'
import { type RowAction, RowActions } from '#kit/list/row-actions.tsx'
import { State } from '#kit/record/state.tsx'

export const agentDetailPath = (id: number) => `/agent/agent/detail/${id}`

/** Name with a link to the agent's page. */
export const AgentName = ({ row: { id, agentName } }: { row: Pick<AgentRow, 'id' | 'agentName'> }) => (
  <PermittedLink to={agentDetailPath(id)} className="agent-name" title={agentName}>
    {agentName}
  </PermittedLink>
)

/** Shows whether an agent is enabled, or the reason why devices cannot talk. */
export function AgentStatus({ row: { status, problem } }: { row: Pick<AgentRow, 'status' | 'problem'> }) {
  if (status !== 1) return <State>停用</State>
  if (!problem) return <State color="success">启用</State>
  return (
    <Tooltip title={problem}>
      <State color="warning">待配置</State>
    </Tooltip>
  )
}

const MAX_SHOWN_TAGS = 3

/** Shows the first tags, and the number of the other tags with their names as tooltip. */
export function AgentTags({ tags }: { tags: readonly string[] }) {
  const others = tags.slice(MAX_SHOWN_TAGS)
  return (
    <span className="kit-tags">
      {tags.slice(0, MAX_SHOWN_TAGS).map((tag) => (
        <Tag key={tag} title={tag}>
          {tag}
        </Tag>
      ))}
      {others.length > 0 && <Tag title={others.join('、')}>+{others.length}</Tag>}
    </span>
  )
}

const AgentRemove = lazyAfterRender(() => import('./agent-dialogs.tsx'), 'AgentRemove')

type Target = Pick<AgentRow, 'id' | 'agentName' | 'status' | 'deviceCount'>

/** Calls of the actions on an agent. */
export const AGENT_ACTION_CALLS = [agents.get, agents.enable, agents.disable, agents.remove]

/** Returns the actions on an agent and the dialog that they open. */
export function useAgentActions({ onRemoved = () => {} }: { onRemoved?(): void } = {}) {
  const navigate = useNavigate()
  const statusActionOf = useStatusAction(agents)
  const [removed, setRemoved] = useState<Target>()
  const changesOf = (row: Target): RowAction[] => [
    statusActionOf({
      id: row.id,
      on: row.status === 1,
      name: `智能体「${row.agentName}」`,
      warning: '它的设备下次连接时不能再对话。',
    }),
    { label: '删除', to: agents.remove, danger: true, onClick: () => setRemoved(row) },
  ]
  const rowActions = (row: Target) => (
    <RowActions
      items={[{ label: '详情', to: agents.get, onClick: () => navigate(agentDetailPath(row.id)) }, ...changesOf(row)]}
    />
  )
  const dialog = removed && <AgentRemove agent={removed} onClose={() => setRemoved(undefined)} onRemoved={onRemoved} />
  return { changesOf, rowActions, dialog }
}
