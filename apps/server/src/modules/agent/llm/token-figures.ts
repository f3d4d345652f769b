import type { LlmUsage } from './chat-events.ts'

/** Average number of characters per token in text without CJK characters. */
const LATIN_PER_TOKEN = 4

/** Estimates the tokens of a text: one per CJK character, and one per four other characters. */
export function estimateTokens(text: string): number {
  let wide = 0
  for (const character of text) if (character.codePointAt(0)! >= 0x2e80) wide += 1
  return Math.ceil(wide + (text.length - wide) / LATIN_PER_TOKEN)
}

/** Returns the cost in fen from prices in fen per million tokens. */
export const computeTokenCost = (
  { input, output }: LlmUsage,
  { priceIn, priceOut }: { priceIn: number; priceOut: number },
) => (input * priceIn + output * priceOut) / 1_000_000
