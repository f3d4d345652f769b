import type { AgentRow } from '@oms/contract/agent/agents/agent.ts'
import { Tag, Tooltip } from 'antd'
import { PermittedLink } from '#kit/record/known-link.tsx'
import './agent.css'

export const agentDetailPath = (id: number) => `/agent/agent/detail/${id}`

/** Name with a link to the agent's page. */
export const AgentName = ({ row: { id, agentName } }: { row: Pick<AgentRow, 'id' | 'agentName'> }) => (
  <PermittedLink to={agentDetailPath(id)} className="agent-name" title={agentName}>
    {agentName}
  </PermittedLink>
)

/** Shows whether an agent is enabled, or the reason why devices cannot talk. */
export function AgentStatus({ row: { status, problem } }: { row: Pick<AgentRow, 'status' | 'problem'> }) {
  if (status !== 1) return <Tag>停用</Tag>
  if (!problem) return <Tag color="success">启用</Tag>
  return (
    <Tooltip title={problem}>
      <Tag color="warning">待配置</Tag>
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
