import { randomBytes } from 'node:crypto'
import { type ClientRequest, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Duplex } from 'node:stream'
import type { AddressPolicy } from './address-policy.ts'
import { encodeClientFrame, FrameReader } from './frames.ts'
import { assertLiteralAllowed, lookupAllowedAddresses } from './outbound.ts'
import { OutboundError, toOutboundError } from './outbound-error.ts'

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
  const request = openUpgrade(call)
  let socket: Duplex | undefined
  try {
    socket = await within(call.connectMs, awaitUpgrade(request), '连接超时')
    if (call.messages === undefined) return undefined
    for (const message of call.messages) socket.write(encodeClientFrame(Buffer.from(message)))
    return await within(call.responseMs, receiveResponse(socket, call.parseResponse), '等待响应超时')
  } catch (error) {
    throw toOutboundError(error, false)
  } finally {
    socket?.destroy()
    request.destroy()
  }
}

function openUpgrade<T>({ url: text, headers, policy }: SocketCall<T>): ClientRequest {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'ws:' && url?.protocol !== 'wss:')
    throw new OutboundError('address', '地址须以 ws:// 或 wss:// 开头')
  assertLiteralAllowed(url, policy)
  const isSecure = url.protocol === 'wss:'
  url.protocol = isSecure ? 'https:' : 'http:'
  const options = {
    agent: false,
    lookup: lookupAllowedAddresses(policy),
    headers: {
      ...headers,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
    },
  }
  const target = new URL(url.href.replace(/^ws/, 'http'))
  return isSecure ? httpsRequest(target, options) : httpRequest(target, options)
}

/** Resolves with the socket after the handshake. The bytes that came with the handshake are put back. */
function awaitUpgrade(request: ClientRequest): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>()
  request
    .on('upgrade', (_response, socket: Duplex, head: Buffer) => {
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    .on('response', (response) => {
      response.resume()
      reject(new OutboundError('address', `对方不是 WebSocket 服务（HTTP ${response.statusCode}）`))
    })
    .on('error', reject)
    .end()
  return promise
}

function receiveResponse<T>(
  socket: Duplex,
  parseResponse: ((message: string) => T | undefined) | undefined,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const reader = new FrameReader(MAX_MESSAGE)
  socket
    .on('data', (chunk: Buffer) => {
      try {
        for (const message of reader.take(chunk)) {
          const response = parseResponse?.(message)
          if (response !== undefined) resolve(response)
        }
      } catch (error) {
        reject(error instanceof Error ? error : new Error('unreadable frame'))
      }
    })
    .on('error', reject)
    .on('close', () => reject(new OutboundError('connection', '对方关闭了连接')))
  return promise
}

async function within<T>(ms: number, work: Promise<T>, words: string): Promise<T> {
  work.catch(() => {})
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new OutboundError('time', words)), ms)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
