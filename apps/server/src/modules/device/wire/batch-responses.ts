import type { ServerResponse } from 'node:http'

interface QueuedResponse {
  readonly response: ServerResponse
  readonly status: number
  readonly headers: string[]
  readonly body: string
}

let waiting: QueuedResponse[] = []

/**
 * Sends a short response at the end of this event loop turn, batched with other responses. Separate writes would
 * wake the receiver for each. `body` is ASCII.
 */
export function queueResponse(response: ServerResponse, status: number, headers: string[], body: string) {
  if (waiting.push({ response, status, headers, body }) === 1) setImmediate(sendAll)
}

function sendAll() {
  const answers = waiting
  waiting = []
  for (const { response, status, headers, body } of answers)
    if (!response.headersSent && !response.destroyed) response.writeHead(status, headers).end(body, 'latin1')
}
