import { type AgentRow, agents } from '@oms/contract/agent/agents/agent.ts'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useNavigate } from 'react-router'
import { useStatusAction } from '#kit/list/record-actions.tsx'
import { type RowAction, RowActions } from '#kit/list/row-actions.tsx'
import { agentDetailPath } from './agent-cells.tsx'

const AgentRemove = lazyAfterRender(() => import('./agent-remove.tsx'), 'AgentRemove')

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
