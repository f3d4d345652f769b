/** Types of the parts of `ws` that the server uses; the package has none. */
declare module 'ws' {
  import type { IncomingMessage } from 'node:http'
  import type { Duplex } from 'node:stream'

  interface SocketEvents {
    message: [data: Buffer, isBinary: boolean]
    pong: []
    close: [code: number]
    error: [error: Error]
  }

  export class WebSocket {
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
