import type { agents as calls } from '@oms/contract/agent/agents/agent.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { Ctx } from '#core/http/context.ts'
import { OutboundError } from '#core/outbound/outbound.ts'
import { listAttachedTools, readMcpProviderAddress } from '../voice-servers/mcp-client.ts'
import { readAgent } from './agent-store.ts'

/** Returns the address of the agent at the external access point for tools, and its attached tools. */
export async function readAccessPoint(ctx: Ctx, { id }: ParsedOf<typeof calls.accessPoint>) {
  const { services } = ctx
  const { agentName, tenantId } = await readAgent(ctx, id)
  const agent = { agentId: id, tenantId }
  ctx.audit({ bizType: 'agent', bizId: id, action: `查看智能体「${agentName}」的 MCP 接入点地址` })
  const address = (await readMcpProviderAddress(services, agent)) ?? ''
  try {
    return { address, tools: await listAttachedTools(services, agent), problem: '' }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { address, tools: [], problem: error.message }
  }
}
