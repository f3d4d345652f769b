import type { ServerResponse } from 'node:http'

interface Answer {
  readonly response: ServerResponse
  readonly status: number
  readonly headers: string[]
  readonly body: string
}

let waiting: Answer[] = []

/**
 * Sends a short answer at the end of this turn of the loop, together with those of the other devices that called in it:
 * sent one by one, each would wake the other side anew. `body` is ASCII.
 */
export function leave(response: ServerResponse, status: number, headers: string[], body: string) {
  if (waiting.push({ response, status, headers, body }) === 1) setImmediate(sendAll)
}

function sendAll() {
  const answers = waiting
  waiting = []
  for (const { response, status, headers, body } of answers)
    if (!response.headersSent && !response.destroyed) response.writeHead(status, headers).end(body, 'latin1')
}
