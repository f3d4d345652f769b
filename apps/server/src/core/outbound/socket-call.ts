import { on, once } from 'node:events'
import type { WebSocket } from 'ws'
import type { AddressPolicy } from './address-policy.ts'
import { assertLiteralAllowed, lookupAllowedAddresses, OutboundError, toOutboundError } from './outbound.ts'

const MAX_MESSAGE = 256 * 1024

export interface SocketCall<T> {
  /** `ws://` or `wss://`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly policy: AddressPolicy
  /** Text messages sent after the handshake. When undefined, the connection is closed after the handshake. */
  readonly messages?: readonly string[]
  /** Returns the result for the message that ends the call, undefined for other messages. */
  readonly parseResponse?: (message: string) => T | undefined
  readonly connectMs: number
  readonly responseMs: number
}

/**
 * Opens a WebSocket, sends text messages and returns the result of the first message that `parseResponse` accepts.
 * The connection goes to an address that the policy allows. Throws `OutboundError`.
 */
export async function callSocket<T>(call: SocketCall<T>): Promise<T | undefined> {
  const socket = await openSocket(call)
  // Listens before the handshake ends, because the first message can arrive together with the handshake.
  const events = on(socket, 'message', { close: ['close'] })
  try {
    await within(call.connectMs, once(socket, 'open'), '连接超时')
    if (call.messages === undefined) return undefined
    for (const message of call.messages) socket.send(message)
    return await within(call.responseMs, findResponse(events, call.parseResponse), '等待响应超时')
  } catch (error) {
    throw toOutboundError(error, false)
  } finally {
    socket.terminate()
  }
}

async function openSocket<T>({ url: text, headers, policy }: SocketCall<T>): Promise<WebSocket> {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'ws:' && url?.protocol !== 'wss:')
    throw new OutboundError('address', '地址须以 ws:// 或 wss:// 开头')
  assertLiteralAllowed(url, policy)
  url.hash = ''
  const { WebSocket } = await import('ws')
  const options = { headers, lookup: lookupAllowedAddresses(policy), maxPayload: MAX_MESSAGE, perMessageDeflate: false }
  return new WebSocket(url, options)
    .on('unexpected-response', (request, { statusCode }) => {
      request.destroy(new OutboundError('address', `对方不是 WebSocket 服务（HTTP ${statusCode}）`))
    })
    .on('error', () => {
      // `once` and `on` report an error during the call. Without a listener, a later error, such as the error that
      // `terminate` causes during the handshake, would end the process.
    })
}

async function findResponse<T>(
  events: AsyncIterable<unknown[]>,
  parseResponse: ((message: string) => T | undefined) | undefined,
): Promise<T> {
  for await (const [data, isBinary] of events) {
    const response = isBinary ? undefined : parseResponse?.(String(data))
    if (response !== undefined) return response
  }
  throw new OutboundError('connection', '对方关闭了连接')
}

async function within<T>(ms: number, work: Promise<T>, words: string): Promise<T> {
  work.catch(() => {})
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new OutboundError('time', words)), ms)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
