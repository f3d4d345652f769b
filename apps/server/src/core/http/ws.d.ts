/** Types of the parts of `ws` that the server uses; the package has none. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events'
  import type { ClientRequest, IncomingMessage } from 'node:http'
  import type { LookupFunction } from 'node:net'
  import type { Duplex } from 'node:stream'

  interface SocketEvents {
    message: [data: Buffer, isBinary: boolean]
    pong: []
    close: [code: number]
    error: [error: Error]
    'unexpected-response': [request: ClientRequest, response: IncomingMessage]
  }

  interface ClientOptions {
    readonly headers: Readonly<Record<string, string>>
    readonly lookup: LookupFunction
    readonly maxPayload: number
    readonly perMessageDeflate: boolean
  }

  export class WebSocket extends EventEmitter {
    constructor(url: URL, options: ClientOptions)
    readonly readyState: number
    readonly bufferedAmount: number
    on<E extends keyof SocketEvents>(event: E, listener: (...values: SocketEvents[E]) => void): this
    send(text: string): void
    ping(): void
    close(code: number, reason?: string): void
    terminate(): void
  }

  interface ServerOptions {
    readonly noServer: true
    readonly maxPayload: number
    readonly perMessageDeflate: false
    readonly clientTracking: false
  }

  export class WebSocketServer {
    constructor(options: ServerOptions)
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, accept: (client: WebSocket) => void): void
  }
}
