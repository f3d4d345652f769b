import type { TurnRow } from '@oms/contract/agent/history/history.ts'
import { MAX_TRY_MESSAGES } from '@oms/contract/agent/try-out/try-out.ts'
import { createRecordedTurn, type Turn } from '../history/use-conversation.ts'

/** Maximum number of recorded turns. The limit leaves room for new questions. */
const MAX_TURNS = MAX_TRY_MESSAGES / 2 - 5
const MAX_TEXT = 4000

type Said = Pick<TurnRow, 'kind' | 'content'>

/**
 * Returns a recorded session as a conversation: each question with all answers before the next question. Omits tool
 * calls and turns without stored text. `isCut`: the oldest turns were omitted because of the limit.
 */
export function toConversation(said: readonly Said[]): { turns: Turn[]; isCut: boolean } {
  const pairs: { question: string; answer: string }[] = []
  for (const { kind, content } of said) {
    if (content === '' || kind > 2) continue
    const last = pairs.at(-1)
    if (kind === 1) pairs.push({ question: content, answer: '' })
    else if (last) last.answer += content
    else pairs.push({ question: '', answer: content })
  }
  const kept = pairs.slice(-MAX_TURNS)
  return {
    turns: kept.map(({ question, answer }) =>
      createRecordedTurn(question.slice(0, MAX_TEXT), answer.slice(0, MAX_TEXT)),
    ),
    isCut: kept.length < pairs.length,
  }
}
