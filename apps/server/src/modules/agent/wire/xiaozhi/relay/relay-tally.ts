import { readChatEvents, type LlmUsage } from '../../../llm/chat-events.ts'
import { estimateTokens } from '../../../llm/token-figures.ts'
import type { VendorJson } from '../../../llm/vendor-body.ts'
import type { RelayBody } from './relay-body.ts'

/** Tokens of a completion. `isEstimate`: the vendor sent no usage, so the tokens are estimated from the texts. */
export interface CountedTokens extends LlmUsage {
  readonly isEstimate: boolean
}

/** Counts the tokens of one completion. */
export class TokenTally {
  #usage: LlmUsage | undefined
  #wide = 0
  #output: string[] = []

  /**
   * Adds one document of the vendor. The last usage counts, because some vendors send a growing usage in each chunk.
   */
  add(document: VendorJson) {
    for (const event of readChatEvents(document)) {
      if (event.type === 'usage') this.#usage = event.usage
      else if (event.type === 'tool') this.#output.push(event.name, event.args)
      else if (event.type !== 'finish') this.#output.push(event.text)
    }
    if (this.#output.length > 100) this.#fold()
  }

  /**
   * Returns the token counts. `body` is the request, from which its tokens are estimated when the vendor reports none.
   */
  tokens({ messages, tools }: RelayBody): CountedTokens {
    if (this.#usage) return { ...this.#usage, isEstimate: false }
    this.#fold()
    const input = messages.reduce((sum, message) => sum + estimateTokens(textOf(message)), 0)
    return {
      input: input + (tools ? estimateTokens(JSON.stringify(tools)) : 0),
      output: Math.ceil(this.#wide),
      cached: 0,
      isEstimate: true,
    }
  }

  /** Replaces the collected texts by their estimated tokens, so that a long completion does not fill the memory. */
  #fold() {
    this.#wide += estimateTokens(this.#output.join(''))
    this.#output = []
  }
}

function textOf({ content, tool_calls }: Readonly<Record<string, unknown>>): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content ?? '')
  return tool_calls === undefined ? text : text + JSON.stringify(tool_calls)
}
