import type { Answer } from '#core/api/transport.ts'

/** Milliseconds after which an unused early response is discarded and requested again. */
const FRESH_MS = 10_000

const asked = new Map<string, { readonly at: number; readonly answer: Promise<Answer> }>()

/** Responses that were requested before the code that uses them was loaded. */
export function storeEarlyResponse(url: string, answer: Promise<Answer>) {
  // The consumer handles a failure. This handler prevents an unhandled rejection until then.
  answer.catch(() => {})
  asked.set(url, { at: performance.now(), answer })
}

/** Returns the early response of a URL once. */
export function takeEarlyResponse(url: string): Promise<Answer> | undefined {
  const found = asked.get(url)
  asked.delete(url)
  return found && performance.now() - found.at < FRESH_MS ? found.answer : undefined
}
