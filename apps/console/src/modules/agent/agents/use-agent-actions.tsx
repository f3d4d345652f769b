import { type AgentRow, agents } from '@oms/contract/agent/agents/agent.ts'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useNavigate } from 'react-router'
import { type RowAction, RowActions } from '#kit/list/row-actions.tsx'
import { agentDetailPath } from './agent-cells.tsx'

const AgentRemove = lazyAfterRender(() => import('./agent-remove.tsx'), 'AgentRemove')

type Target = Pick<AgentRow, 'id' | 'agentName' | 'status' | 'deviceCount'>

/** Returns the actions on an agent and the dialog that they open. */
export function useAgentActions({ onRemoved = () => {} }: { onRemoved?(): void } = {}) {
  const navigate = useNavigate()
  const enable = useWrite(agents.enable)
  const disable = useWrite(agents.disable)
  const [removed, setRemoved] = useState<Target>()
  const switchOf = ({ id, agentName, status }: Target): RowAction =>
    status === 1
      ? {
          label: '停用',
          to: agents.disable,
          confirm: `停用智能体「${agentName}」？它的设备下次连接时不能再对话。`,
          onClick: () => disable.mutateAsync({ id }),
        }
      : { label: '启用', to: agents.enable, onClick: () => enable.mutateAsync({ id }) }
  const changesOf = (row: Target): RowAction[] => [
    switchOf(row),
    { label: '删除', to: agents.remove, danger: true, onClick: () => setRemoved(row) },
  ]
  const actionsOf = (row: Target): RowAction[] => [
    { label: '详情', to: agents.get, onClick: () => navigate(agentDetailPath(row.id)) },
    ...changesOf(row),
  ]
  const rowActions = (row: Target) => <RowActions items={actionsOf(row)} />
  const dialog = removed && <AgentRemove agent={removed} onClose={() => setRemoved(undefined)} onRemoved={onRemoved} />
  return { actionsOf, changesOf, rowActions, dialog }
}
