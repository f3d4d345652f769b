import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { messagesOf, type StreamOrder } from './llm-vendor.ts'

/** Occurs once in each piece. */
const PIECE = '"delta"'
const END = 'ONE]'

/** Address and key of a language model, as a voice server gets them. */
export interface Endpoint {
  readonly base_url: string
  readonly api_key: string
}

export interface Streamed {
  /** Milliseconds from the request to the first bytes of the body. */
  readonly firstMs: number
  /** True when the stream is complete: all requested pieces, then the end mark. */
  readonly isComplete: boolean
}

/** Creates the connections of one client. */
export const connections = () => new Agent({ keepAlive: true, maxSockets: 1000 })

/** Streams a completion. With `pauseMs`, the client stops reading for this time after the first bytes. */
export async function complete(
  agent: Agent,
  { base_url, api_key }: Endpoint,
  order: StreamOrder,
  pauseMs = 0,
): Promise<Streamed> {
  const body = JSON.stringify({ model: 'm', stream: true, messages: messagesOf(order) })
  const headers = {
    authorization: `Bearer ${api_key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  const from = performance.now()
  const reply = await new Promise<IncomingMessage>((done, fail) => {
    request(`${base_url}/chat/completions`, { method: 'POST', agent, headers }, done).on('error', fail).end(body)
  })
  let firstMs = Number.NaN
  let pieces = 0
  let tail = ''
  for await (const chunk of reply) {
    if (Number.isNaN(firstMs)) {
      firstMs = performance.now() - from
      if (pauseMs > 0) await sleep(pauseMs)
    }
    const text = tail + (chunk as Buffer).toString('latin1')
    pieces += text.split(PIECE).length - 1
    // The tail is shorter than a mark, so no mark is counted twice; a mark that is split between two chunks is found.
    tail = text.slice(1 - PIECE.length)
  }
  if (reply.statusCode !== 200) throw new Error(`completion: ${reply.statusCode}`)
  return { firstMs, isComplete: pieces === order.pieces && tail.includes(END) }
}
