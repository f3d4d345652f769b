import { LIMIT } from '@oms/contract/agent/usage/usage-limit.ts'
import type { AgentFacts } from '#domain/agents/agents/agent-config.ts'
import { readAgentFacts } from '#domain/agents/agents/agent-facts.ts'
import type { StoredModel } from '#domain/agents/voice-servers/server-models.ts'
import { smallerLimit, buildStoppedConfig } from '#domain/agents/usage/stopped-facts.ts'
import { type UsageLimit, readUsageLimit } from '#domain/agents/usage/usage-limit.ts'
import { isRelayed } from '../relay/relay-key.ts'

type Parts = Parameters<typeof readAgentFacts>[0] & {
  /** Tenant of the voice server's secret. */
  readonly serverTenant: number
  readonly now: number
}
type Device = Parameters<typeof readAgentFacts>[1]

/** Configuration of a device within its limit. */
interface LimitedFacts {
  readonly facts: AgentFacts
  readonly limit: UsageLimit
}

/**
 * Reads the configuration of a device and its limit. A device that the limit stops gets a configuration that only says the
 * notice. A device with characters left gets a maximum output size, at which the voice server stops inside a session.
 */
export async function factsWithinLimit(parts: Parts, device: Device): Promise<LimitedFacts> {
  const models = new Map<string, StoredModel>()
  const handedOut = (model: StoredModel) => {
    models.set(model.code, model)
    return parts.handedOut(model)
  }
  const user = { deviceId: device.deviceId, agentId: device.agent.id, tenantId: device.tenantId }
  const [facts, limit] = await Promise.all([
    readAgentFacts({ ...parts, handedOut }, device),
    readUsageLimit(parts, user),
  ])
  const own = models.get(facts.models.LLM?.code ?? '')
  const isStopped = limit.state === LIMIT.stopped
  const model = isStopped ? await stoppedModel(parts, device.tenantId, own) : own
  const left = isStopped ? limit.notice.length : limit.characters
  const maxOutputSize =
    left === undefined || (model && isRelayed(model))
      ? facts.maxOutputSize
      : smallerLimit(facts.maxOutputSize, await outputSize(parts, device.deviceId, left))
  if (!isStopped) return { limit, facts: { ...facts, maxOutputSize } }
  const llm = model && parts.handedOut(model)
  return { limit, facts: buildStoppedConfig(facts, { notice: limit.notice, llm, maxOutputSize }) }
}

/**
 * Returns the size at which a voice server stops after `left` more characters. The server counts the characters of a device
 * by day and forgets them at a restart, so the characters of today are added. 0 would be unlimited.
 */
const outputSize = async ({ reads }: Parts, deviceId: number, left: number) =>
  Math.max(1, Math.ceil((await reads.packs.spokenToday(deviceId)) + left))

const priceOf = ({ priceIn, priceOut }: StoredModel) => priceIn + priceOut

/** Returns the model that costs least to say the notice. A model without a price is kept, because it may be free. */
async function stoppedModel({ reads, serverTenant }: Parts, tenantId: number, own: StoredModel | undefined) {
  if (own && isRelayed(own)) return own
  const id = await reads.cheapest.of(tenantId, serverTenant)
  const found = id === undefined ? undefined : (await reads.models.of([id])).find((model) => model.id === id)
  const isOwnCheaper = own && found && !isRelayed(found) && priceOf(own) <= priceOf(found)
  return found && !isOwnCheaper ? found : own
}
