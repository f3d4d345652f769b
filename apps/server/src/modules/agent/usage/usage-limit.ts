import { LIMIT_STATE_CODE, USAGE_LIMIT } from '@oms/contract/agent/usage/usage-limit.ts'
import type { AgentFacts, ConfiguredModel } from '../agents/agent-config.ts'
import { computePackLimit, type PackConsumer } from '../orders/open-packs.ts'
import type { ParameterValues } from '../parameter-values.ts'
import type { AgentReads } from '../voice-servers/voice-servers.ts'

/** Usage limit of a device, computed from its packs and from the parameters of its tenant. */
export interface UsageLimit {
  readonly state: (typeof LIMIT_STATE_CODE)[keyof typeof LIMIT_STATE_CODE]
  /** Reason why the limit is reached; empty otherwise. */
  readonly reason: string
  /** Characters that the device may still speak; undefined: not limited. */
  readonly characters: number | undefined
  /** Sentence that a stopped device says. */
  readonly notice: string
}

interface Parts {
  readonly reads: Pick<AgentReads, 'packs'>
  /** Parameters of the tenant of the device. */
  readonly params: Pick<ParameterValues, 'text'>
  readonly now: number
}

/**
 * Returns the usage limit of a device. Reads no grants when the parameter `usage.limit` only counts. Amounts are at
 * most 30 seconds old. A device may therefore exceed its limit by one session, or by the tokens of 30 seconds.
 */
export async function readUsageLimit({ reads, params, now }: Parts, device: PackConsumer): Promise<UsageLimit> {
  const mode = params.text('usage.limit')
  const notice = params.text('usage.notice')
  const normal = { state: LIMIT_STATE_CODE.normal, reason: '', characters: undefined, notice }
  if (mode !== USAGE_LIMIT.warn && mode !== USAGE_LIMIT.stop) return normal
  const limit = computePackLimit(await reads.packs.of(device), now)
  if (!limit.isReached) return mode === USAGE_LIMIT.stop ? { ...normal, characters: limit.characters } : normal
  return {
    ...normal,
    state: mode === USAGE_LIMIT.stop ? LIMIT_STATE_CODE.stopped : LIMIT_STATE_CODE.exceeded,
    reason: limit.reason,
  }
}

interface Stop {
  /** Sentence that the device says. */
  readonly notice: string
  readonly llm: ConfiguredModel | undefined
  readonly maxOutputSize: number
}

const promptOf = (notice: string) =>
  `设备的语音服务套餐已结束，不能继续对话。无论用户说什么，只用下面这句话回答，不要改写，不要回答其他内容，不要使用工具：\n${notice}`

/**
 * Returns a model with the same code and another type that does nothing. Voice servers need the block of each selected
 * model.
 */
const without = (model: ConfiguredModel | undefined, type: string) => model && { code: model.code, config: { type } }

/**
 * Returns the configuration of a device that the limit stops. Keeps recognition and synthesis. The prompt contains only
 * the notice. Removes memory, tools and all other models.
 */
export function buildLimitReachedConfig(facts: AgentFacts, { notice, llm, maxOutputSize }: Stop): AgentFacts {
  const { VAD, ASR, TTS, Memory, Intent } = facts.models
  return {
    ...facts,
    prompt: promptOf(notice),
    memory: '',
    models: { VAD, ASR, TTS, LLM: llm, Memory: without(Memory, 'nomem'), Intent: without(Intent, 'nointent') },
    llmByCode: new Map(),
    plugins: [],
    contextProviders: [],
    mcpEndpoint: undefined,
    voiceprint: undefined,
    maxOutputSize,
  }
}

/** Returns the smaller of two maximum sizes. `size` 0 means unlimited. */
export const computeSmallerLimit = (size: number, other: number) => (size > 0 ? Math.min(size, other) : other)
