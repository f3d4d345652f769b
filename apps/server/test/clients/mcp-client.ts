import { once } from 'node:events'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
type Json = any
interface Tool {
  readonly name: string
  readonly inputSchema: { readonly required: readonly string[] }
}

/**
 * Stand-in of the client for tool endpoints in xiaozhi-esp32-server, written from the protocol. Sends `initialize` with
 * id 1, `notifications/initialized`, and `tools/list` with id 2 and a cursor. Calls are numbered from 1 and have 30 s
 * each.
 */
export class McpClient {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (message: Json) => void>()
  #nextId = 1
  tools: Tool[] = []
  readonly closed: Promise<number>

  constructor(address: string) {
    this.#socket = new WebSocket(address)
    this.closed = new Promise((done) => this.#socket.addEventListener('close', ({ code }) => done(code)))
    this.#socket.addEventListener('error', () => {})
    this.#socket.addEventListener('message', ({ data }) => {
      const message: Json = JSON.parse(String(data))
      const id = Number(message.id ?? 0)
      this.#waiting.get(id)?.(message)
      this.#waiting.delete(id)
    })
  }

  /** Connects and reads the tools, as at the start of a conversation. */
  async start() {
    if (this.#socket.readyState !== WebSocket.OPEN) await once(this.#socket, 'open')
    const { result } = await this.request(1, 'initialize', { protocolVersion: '2024-11-05', capabilities: {} })
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized', params: {} })
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
      const list = await this.request(2, 'tools/list', cursor ? { cursor } : undefined)
      this.tools.push(...list.result.tools)
      cursor = list.result.nextCursor
    }
    return result
  }

  send(message: object | string) {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** Sends a request, and returns the response with its id; 0 for a response without an id. */
  request(id: number, method: string, params?: object): Promise<Json> {
    const answer = this.answerTo(id)
    this.send({ jsonrpc: '2.0', id, method, ...(params && { params }) })
    return answer
  }

  answerTo(id: number): Promise<Json> {
    return new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error('no response within 30 s')), 30_000)
      this.#waiting.set(id, (message) => {
        clearTimeout(timer)
        done(message)
      })
    })
  }

  /** Calls a tool and returns the text for the language model. */
  async call(name: string, args: object = {}): Promise<string> {
    const { result, error } = await this.request(this.#nextId++, 'tools/call', { name, arguments: args })
    if (error) throw new Error(error.message)
    if (result.isError === true) throw new Error('the tool failed')
    return result.content[0].text
  }

  async close() {
    this.#socket.close()
    await this.closed
  }
}
