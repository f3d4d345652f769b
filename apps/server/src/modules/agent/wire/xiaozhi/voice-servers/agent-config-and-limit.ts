import { LIMIT_STATE_CODE } from '@oms/contract/agent/usage/usage-limit.ts'
import type { AgentFacts } from '../../../agents/agent-config.ts'
import { readAgentModelsAndVoice } from '../../../agents/agent-facts.ts'
import type { StoredModel } from '../../../voice-servers/server-models.ts'
import { computeSmallerLimit, buildLimitReachedConfig } from '../../../usage/stopped-facts.ts'
import { type UsageLimit, readUsageLimit } from '../../../usage/usage-limit.ts'
import { isRelayed } from '../relay/relay-key.ts'

type Parts = Parameters<typeof readAgentModelsAndVoice>[0] & {
  /** Tenant of the voice server's secret. */
  readonly serverTenant: number
  readonly now: number
}
type Device = Parameters<typeof readAgentModelsAndVoice>[1]

/** Configuration of a device, and the limit of its packages. */
interface AgentConfigAndLimit {
  readonly facts: AgentFacts
  readonly limit: UsageLimit
}

/**
 * Reads the configuration of a device and its limit. A device that the limit stops gets a configuration that only says
 * the notice. A device with characters left gets a maximum output size. The voice server stops at this size, even
 * inside a session.
 */
export async function readAgentConfigAndLimit(parts: Parts, device: Device): Promise<AgentConfigAndLimit> {
  const models = new Map<string, StoredModel>()
  const handedOut = (model: StoredModel) => {
    models.set(model.code, model)
    return parts.handedOut(model)
  }
  const user = { deviceId: device.deviceId, agentId: device.agent.id, tenantId: device.tenantId }
  const [facts, limit] = await Promise.all([
    readAgentModelsAndVoice({ ...parts, handedOut }, device),
    readUsageLimit(parts, user),
  ])
  const own = models.get(facts.models.LLM?.code ?? '')
  const isStopped = limit.state === LIMIT_STATE_CODE.stopped
  const model = isStopped ? await stoppedModel(parts, device.tenantId, own) : own
  const left = isStopped ? limit.notice.length : limit.characters
  const maxOutputSize =
    left === undefined || (model && isRelayed(model))
      ? facts.maxOutputSize
      : computeSmallerLimit(facts.maxOutputSize, await outputSize(parts, device.deviceId, left))
  if (!isStopped) return { limit, facts: { ...facts, maxOutputSize } }
  const llm = model && parts.handedOut(model)
  // `llm` generates the notice, so a disabled language model of the agent does not matter.
  const problem = llm && facts.models.TTS ? '' : facts.problem
  return { limit, facts: buildLimitReachedConfig({ ...facts, problem }, { notice: limit.notice, llm, maxOutputSize }) }
}

/**
 * Returns the maximum output size after `left` more characters. Adds the characters of today, because the server counts
 * the characters of a device by day. The server forgets its count at a restart. The result is at least 1, because 0
 * would be unlimited.
 */
const outputSize = async ({ reads }: Parts, deviceId: number, left: number) =>
  Math.max(1, Math.ceil((await reads.packs.spokenToday(deviceId)) + left))

const priceOf = ({ priceIn, priceOut }: StoredModel) => priceIn + priceOut

/**
 * Returns the cheapest model to say the notice. Keeps the agent's own model when it has no price, because it may be
 * free.
 */
async function stoppedModel({ reads, serverTenant }: Parts, tenantId: number, own: StoredModel | undefined) {
  if (own && isRelayed(own)) return own
  const id = await reads.cheapest.of(tenantId, serverTenant)
  const found = id === undefined ? undefined : (await reads.models.of([id])).find((model) => model.id === id)
  const isOwnCheaper = own && found && !isRelayed(found) && priceOf(own) <= priceOf(found)
  return found && !isOwnCheaper ? found : own
}
