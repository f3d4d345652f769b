import type { ServerResponse } from 'node:http'
import type { VendorJson } from '../../../llm/vendor-body.ts'

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}
/** Maximum time in which the client may read nothing. */
const STALL_MS = 30_000

type Choice = Readonly<Record<string, unknown>>

/**
 * Returns the chunk for the voice server: with the model code as name, and without the usage, which the voice server
 * did not request. Undefined for a chunk that contains only usage. A whole completion becomes one chunk.
 */
export function toForwardedChunk({ usage: _usage, ...json }: VendorJson, code: string): VendorJson | undefined {
  const choices = Array.isArray(json['choices']) ? (json['choices'] as Choice[]) : []
  if (choices.length === 0) return undefined
  const deltas = choices.map(({ message, ...choice }) =>
    message !== undefined && choice['delta'] === undefined ? { ...choice, delta: message } : choice,
  )
  return { ...json, object: 'chat.completion.chunk', model: code, choices: deltas }
}

/** Writes server-sent events no faster than the client reads them. */
export class EventResponse {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
    response.writeHead(200, HEADERS)
  }

  /** Resolves when the client can receive more, or has disconnected. */
  async send(data: string) {
    if (this.#response.destroyed || this.#response.write(`data: ${data}\n\n`)) return
    await drained(this.#response)
  }

  end() {
    this.#response.end()
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(() => response.destroy(), STALL_MS)
    const finish = () => {
      clearTimeout(timer)
      response.off('drain', finish).off('close', finish)
      done()
    }
    response.once('drain', finish).once('close', finish)
  })
}
