import { type TryEvents, tryOut } from '@oms/contract/agent/agents/try-out.ts'
import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { ApiError, buildSessionHeaders } from '#core/api/client.ts'
import { handleEnvelope } from '#core/api/response.ts'
import { getSession } from '#core/auth/session.tsx'
import { toRequestParts } from '#core/api/wire.ts'

/** One event of a try-out with its name. */
export type TryEvent = { [K in keyof TryEvents]: { readonly event: K; readonly data: TryEvents[K] } }[keyof TryEvents]

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
export async function streamTry(
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
