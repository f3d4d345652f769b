import { createParser } from 'eventsource-parser'
import type { OutboundResponse } from '#core/outbound/outbound.ts'
import { parseVendorJson } from './chat-events.ts'

/** One JSON document of a response: a chunk of a stream, or a whole completion. */
export type VendorJson = Readonly<Record<string, unknown>>

/** Reads an error response. Reports only the status of an HTML page, because pages of proxies do not name the cause. */
export async function readErrorBody(response: OutboundResponse): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of response.body) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  try {
    return JSON.parse(text)
  } catch {
    return text.trimStart().startsWith('<') ? '' : text
  }
}

/**
 * Yields the JSON documents of a body: the data of each server-sent event, or one document when the first character is
 * a brace. Throws an `LlmError` for a failure that the vendor reports in a document.
 */
export async function* readVendorJson(
  response: OutboundResponse,
  apiKey: string,
  maxBytes: number,
): AsyncGenerator<VendorJson> {
  const decoder = new TextDecoder()
  const stream = eventReader(maxBytes)
  let document: string[] | undefined
  let hasStarted = false
  for await (const chunk of response.body) {
    const text = decoder.decode(chunk, { stream: true })
    if (!hasStarted && text.trim() !== '') {
      hasStarted = true
      if (text.trimStart().startsWith('{')) document = []
    }
    if (document) {
      document.push(text)
      continue
    }
    for (const data of stream.feed(text)) {
      if (data.trim() === '[DONE]') return response.skipRest()
      if (data.trim() !== '') yield parseVendorJson(data, response.status, apiKey)
    }
  }
  if (document) return yield parseVendorJson(document.join(''), response.status, apiKey)
  // A vendor may end the stream without the blank line after its last event.
  for (const data of stream.feed('\n\n'))
    if (data.trim() !== '' && data.trim() !== '[DONE]') yield parseVendorJson(data, response.status, apiKey)
}

/**
 * Returns a parser of server-sent events. `feed` returns the data of the events that a piece of text completes.
 * Converts line ends to LF first. At every CR, the parser library searches the rest of the text for LF, which takes
 * seconds for many CR.
 */
function eventReader(maxBufferSize: number) {
  let complete: string[] = []
  let endsInCr = false
  const parser = createParser({ onEvent: ({ data }) => void complete.push(data), maxBufferSize })
  return {
    feed(text: string): string[] {
      complete = []
      const rest = endsInCr && text.startsWith('\n') ? text.slice(1) : text
      if (text !== '') endsInCr = text.endsWith('\r')
      parser.feed(rest.replaceAll(/\r\n?/g, '\n'))
      return complete
    },
  }
}
