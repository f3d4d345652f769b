import type { ApiResponse } from '#core/api/transport.ts'

/** Milliseconds after which an unused early response is discarded and requested again. */
const FRESH_MS = 10_000

const asked = new Map<string, { readonly at: number; readonly response: Promise<ApiResponse> }>()

/** Responses that were requested before the code that uses them was loaded. */
export function storeEarlyResponse(url: string, response: Promise<ApiResponse>) {
  // The consumer handles a failure. This handler prevents an unhandled rejection until then.
  response.catch(() => {})
  asked.set(url, { at: performance.now(), response })
}

/** Returns the early response of a URL once. */
export function consumeEarlyResponse(url: string): Promise<ApiResponse> | undefined {
  const found = asked.get(url)
  asked.delete(url)
  return found && performance.now() - found.at < FRESH_MS ? found.response : undefined
}
