import { and, type Column, eq, or, type SQL, sql } from 'drizzle-orm'
import type { User } from '#core/http/context.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { agents } from '../schema/agent.ts'
import { agentDevices } from '../schema/agent-device.ts'
import { agentSessions } from '../schema/agent-history.ts'

/** Returns the condition for the agents in the data scope of an account. */
export const visibleAgents = (user: User) =>
  and(notDeleted(agents), scoped(user, { tenant: agents.tenantId, creator: agents.createBy }))

/**
 * Returns the condition for rows without a creator that belong to an agent and a device, such as conversations and use.
 * An account with `ownOnly` sees those of the agents that it created and of the devices that it bound.
 */
export function scopedByAgent(
  user: User,
  columns: { readonly tenant: Column; readonly agent: Column; readonly device: Column },
): SQL | undefined {
  const isOwn = user.scope.ownOnly
    ? or(
        sql`${columns.agent} in (select id from ${agents} where ${eq(agents.createBy, user.uid)})`,
        sql`${columns.device} in (select device_id from ${agentDevices} where ${eq(agentDevices.createBy, user.uid)})`,
      )
    : undefined
  return and(scoped(user, { tenant: columns.tenant }), isOwn)
}

/** Returns the condition for the conversations that the account may see. */
export const visibleSessions = (user: User) =>
  scopedByAgent(user, { tenant: agentSessions.tenantId, agent: agentSessions.agentId, device: agentSessions.deviceId })

/** Returns the condition for the bound devices whose conversations and memory the account may see. */
export const bindingsWithVisibleTalks = (user: User) =>
  scopedByAgent(user, { tenant: agentDevices.tenantId, agent: agentDevices.agentId, device: agentDevices.deviceId })
