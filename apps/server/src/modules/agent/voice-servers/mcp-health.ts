import type { Config } from '#core/config/config.ts'
import { selectAddressPolicy } from '#core/outbound/address-policy.ts'
import { sendOutbound, OutboundError } from '#core/outbound/outbound.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

const LIMITS = { connectMs: 3000, firstByteMs: 3000, idleMs: 3000, totalMs: 5000, maxBytes: 100_000 }

/**
 * Calls the health address of an MCP end point server. Returns the problem in Chinese, or undefined when the response
 * contains `success`. Only the platform may name a private address.
 */
export async function findMcpEndpointProblem(
  config: Pick<Config, 'outboundPrivate'>,
  tenantId: number,
  url: string,
): Promise<string | undefined> {
  const policy = selectAddressPolicy(config, tenantId === PLATFORM_TENANT_ID ? 'platform' : 'tenant')
  try {
    const { status, body } = await sendOutbound({ url, policy, limits: LIMITS })
    const chunks: Buffer[] = []
    for await (const chunk of body) chunks.push(chunk)
    const isHealthy = status === 200 && Buffer.concat(chunks).toString('utf8').includes('success')
    return isHealthy ? undefined : `MCP 接入点没有返回 success（状态 ${status}），请检查地址和 key`
  } catch (error) {
    if (error instanceof OutboundError) return `MCP 接入点无法连接：${error.message}`
    throw error
  }
}
