import type { TryFigures } from '@oms/contract/agent/try-out/try-out.ts'
import type { ChatEvent, LlmUsage } from '#domain/agents/llm/chat-events.ts'
import { computeTokenCost, estimateTokens } from '#domain/agents/llm/token-figures.ts'
import type { PreparedChat } from './try-prepare.ts'

/** Measures one completion: time to the first text, total time, tokens and cost. */
export class TryMeter {
  readonly #startedAt = performance.now()
  readonly #prepared: PreparedChat
  #firstMs: number | undefined
  #usage: LlmUsage | undefined
  #text = ''

  constructor(prepared: PreparedChat) {
    this.#prepared = prepared
  }

  get model() {
    return this.#prepared.model
  }

  get text() {
    return this.#text
  }

  add(event: ChatEvent) {
    if (event.type === 'usage') this.#usage = event.usage
    if (event.type !== 'text' && event.type !== 'reasoning') return
    this.#firstMs ??= this.#elapsed()
    if (event.type === 'text') this.#text += event.text
  }

  figures(): TryFigures {
    const usage = this.#usage ?? this.#estimate()
    return {
      ...usage,
      firstMs: this.#firstMs ?? this.#elapsed(),
      totalMs: this.#elapsed(),
      isEstimate: this.#usage === undefined,
      cost: computeTokenCost(usage, this.#prepared.model),
    }
  }

  #elapsed() {
    return Math.round(performance.now() - this.#startedAt)
  }

  #estimate(): LlmUsage {
    const sent = this.#prepared.messages.map(({ content }) => content).join('\n')
    return { input: estimateTokens(sent), output: estimateTokens(this.#text), cached: 0 }
  }
}
