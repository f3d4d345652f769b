import { tryOut, type TryFigures, type TryEvents } from '@oms/contract/agent/agents/try-out.ts'
import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { useEffect, useRef, useState } from 'react'
import { findErrorMessage, ApiError, buildSessionHeaders } from '#core/api/client.ts'
import { handleEnvelope } from '#core/api/response.ts'
import { getSession } from '#core/auth/session.tsx'
import { toRequestParts } from '#core/api/wire.ts'

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
function applyTryOutEvent(turn: Turn, { event, data }: TryEvent): Turn {
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

/** One event of a try-out with its name. */
type TryEvent = { [K in keyof TryEvents]: { readonly event: K; readonly data: TryEvents[K] } }[keyof TryEvents]

/** Splits pieces of text into events. A piece may end anywhere. */
export function createEventSplitter() {
  let rest = ''
  return (piece: string): TryEvent[] => {
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop() ?? ''
    return blocks.flatMap((block) => {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
      return event && data ? [{ event, data: JSON.parse(data) } as TryEvent] : []
    })
  }
}

/**
 * Sends a question to the agent and calls `onEvent` for each event. Throws an `ApiError` for a refusal before the
 * stream.
 */
async function streamTry(
  input: InputOf<typeof tryOut.ask>,
  { signal, onEvent }: { readonly signal: AbortSignal; onEvent(event: TryEvent): void },
) {
  const { url, body, contentType } = toRequestParts(tryOut.ask, input)
  const headers = { ...buildSessionHeaders(), ...(contentType && { 'content-type': contentType }) }
  const token = getSession()?.token ?? ''
  const response = await fetch(url, { method: 'POST', headers, body, signal })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream || !response.body) {
    const permVersion = response.headers.get('x-perm-version') ?? ''
    handleEnvelope(
      { status: response.status, body: await response.json().catch(() => undefined), permVersion, token },
      true,
    )
    throw new ApiError(0, '服务器出错!')
  }
  const split = createEventSplitter()
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    for (const event of split(value)) onEvent(event)
  }
}
