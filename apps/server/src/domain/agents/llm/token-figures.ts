import type { LlmUsage } from './chat-events.ts'

/** Latin characters of one token, on average. */
const LATIN_PER_TOKEN = 4

/** Estimates the tokens of a text: one for each CJK character, one for four other characters. */
export function estimateTokens(text: string): number {
  let wide = 0
  for (const character of text) if (character.codePointAt(0)! >= 0x2e80) wide += 1
  return Math.ceil(wide + (text.length - wide) / LATIN_PER_TOKEN)
}

/** Returns the cost in fen from prices in fen per million tokens. */
export const costOf = ({ input, output }: LlmUsage, { priceIn, priceOut }: { priceIn: number; priceOut: number }) =>
  (input * priceIn + output * priceOut) / 1_000_000
