import type { AgentFacts, ConfiguredModel } from '../agents/agent-config.ts'

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
