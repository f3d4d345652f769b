import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createJsonServer } from './json-server.ts'

/** A call that the vendor received. */
interface VendorCall {
  readonly url: string | undefined
  readonly key: string | undefined
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
  readonly body: any
}
type Behaviour = (response: ServerResponse, request: IncomingMessage) => void

/** Stand-in of an OpenAI-compatible vendor. `behave` decides the responses to the next calls. */
export async function openVendor() {
  const calls: VendorCall[] = []
  let behaviour: Behaviour = (response) => void response.end()
  let connections = 0
  const server = createJsonServer((body, request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    calls.push({ url: request.url, key: request.headers.authorization, body })
    behaviour(response, request)
  })
  server.on('connection', () => (connections += 1))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    calls,
    connections: () => connections,
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    behave(next: Behaviour) {
      behaviour = next
      calls.length = 0
    },
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`

/** Returns the event of one piece of an answer. */
export const piece = (content: string) =>
  event({ id: 'c', model: 'true-model', choices: [{ index: 0, delta: { content } }] })

/** Returns the event with the token usage of a completion. */
export const usageEvent = (input: number, output: number, cached = 0) =>
  event({
    id: 'c',
    choices: [],
    usage: { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: { cached_tokens: cached } },
  })

export const DONE = 'data: [DONE]\n\n'

/** Answers with these pieces and their usage. */
export const answering =
  (texts: readonly string[], usage = usageEvent(10, 5)): Behaviour =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(texts.map(piece).join('') + usage + DONE)
