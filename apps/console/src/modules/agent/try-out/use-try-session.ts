import { type SessionRow, agentHistory } from '@oms/contract/agent/history/history.ts'
import { tryOut } from '@oms/contract/agent/try-out/try-out.ts'
import { useNavigate } from 'react-router'
import { useMayCall } from '#core/auth/session.tsx'
import type { RowAction } from '#kit/list/row-actions.tsx'
import { agentDetailPath } from '../agents/agent-cells.tsx'

/** Query key of the agent page that names the conversation to open in the try-out. */
export const TRY_SESSION_PARAM = 'session'
/** A recorded conversation to open. A new object with the same id opens the conversation again. */
export interface TrySession {
  readonly id: number
}

/**
 * Returns a function that builds the row action for opening a conversation in the try-out of its agent. The function
 * returns false when the permission or the agent is missing.
 */
export function useTrySession(): (session: Pick<SessionRow, 'id' | 'agentId' | 'agentName'>) => RowAction | false {
  const navigate = useNavigate()
  const mayCall = useMayCall()
  const isAllowed = mayCall(tryOut.ask) && mayCall(agentHistory.open)
  return ({ id, agentId, agentName }) =>
    isAllowed &&
    agentName !== '' && {
      label: '现在会怎么说？',
      onClick: () => navigate(`${agentDetailPath(agentId)}?${TRY_SESSION_PARAM}=${id}`),
    }
}
