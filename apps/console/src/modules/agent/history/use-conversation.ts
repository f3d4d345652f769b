import { tryOut, type TryFigures } from '@oms/contract/agent/agents/try-out.ts'
import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { useEffect, useRef, useState } from 'react'
import { findErrorMessage } from '#core/api/client.ts'
import { streamTry, type TryEvent } from '../agents/try-stream.ts'

/** One question with its answer. */
export interface Turn {
  readonly id: number
  readonly question: string
  readonly answer: string
  readonly reasoning: string
  readonly tools: readonly { readonly name: string; readonly args: string }[]
  readonly state: 'running' | 'done' | 'stopped' | 'failed'
  readonly model: string
  /** The request as sent, without the key. */
  readonly request: string
  /** The question after the word corrections; empty when unchanged. */
  readonly corrected: string
  readonly error: string
  readonly figures: TryFigures | undefined
}

/** Configuration of the try-out, which is sent together with the messages. */
export type TrySubject = Omit<InputOf<typeof tryOut.ask>, 'messages'>

const EMPTY = { answer: '', reasoning: '', tools: [], model: '', request: '', corrected: '', error: '' } as const

let lastId = 0
const newTurn = (question: string): Turn => ({
  ...EMPTY,
  id: (lastId += 1),
  question,
  state: 'running',
  figures: undefined,
})

/** Returns the turn after an event. */
export function applyTryOutEvent(turn: Turn, { event, data }: TryEvent): Turn {
  switch (event) {
    case 'start':
      return { ...turn, ...data }
    case 'text':
      return { ...turn, answer: turn.answer + data.text }
    case 'reasoning':
      return { ...turn, reasoning: turn.reasoning + data.text }
    case 'tool':
      return { ...turn, tools: joinedTools(turn.tools, data) }
    case 'done':
      return { ...turn, state: 'done', figures: data }
    case 'error':
      return { ...turn, state: 'failed', error: data.message }
  }
}

/**
 * Adds a piece of a tool call. Vendors stream the arguments of a call in pieces without a name, which belong to the
 * last call.
 */
function joinedTools(tools: Turn['tools'], { name, args }: { name: string; args: string }): Turn['tools'] {
  const last = tools.at(-1)
  if (name || !last) return [...tools, { name, args }]
  return [...tools.slice(0, -1), { ...last, args: last.args + args }]
}

const messagesOf = (turns: readonly Turn[], question: string) => [
  ...turns.flatMap((turn) =>
    turn.answer === ''
      ? []
      : [
          { role: 'user' as const, content: turn.question },
          { role: 'assistant' as const, content: turn.answer },
        ],
  ),
  { role: 'user' as const, content: question },
]

/**
 * Holds a conversation with an agent. `ask` streams an answer. With `before`, the new turn replaces the turn with this
 * id and all later turns.
 */
export function useConversation() {
  const [turns, setTurns] = useState<readonly Turn[]>([])
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const isRunning = turns.at(-1)?.state === 'running'

  const ask = async (subject: TrySubject, question: string, before?: number) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const at = before === undefined ? turns.length : turns.findIndex(({ id }) => id === before)
    const kept = turns.slice(0, at)
    const turn = newTurn(question)
    setTurns([...kept, turn])
    const change = (next: (turn: Turn) => Turn) =>
      setTurns((all) => all.map((each) => (each.id === turn.id ? next(each) : each)))
    try {
      await streamTry(
        { ...subject, messages: messagesOf(kept, question) },
        { signal: controller.signal, onEvent: (event) => change((each) => applyTryOutEvent(each, event)) },
      )
      change((each) => (each.state === 'running' ? { ...each, state: 'failed', error: '连接中断' } : each))
    } catch (error) {
      const stopped = controller.signal.aborted
      change((each) =>
        each.state === 'running'
          ? { ...each, state: stopped ? 'stopped' : 'failed', error: stopped ? '' : textOf(error) }
          : each,
      )
    }
  }
  return {
    turns,
    isRunning,
    ask,
    stop: () => running.current?.abort(),
    clear: () => (running.current?.abort(), setTurns([])),
  }
}
export type Conversation = ReturnType<typeof useConversation>

const textOf = (error: unknown) => (error instanceof TypeError ? '网络异常' : findErrorMessage(error))
