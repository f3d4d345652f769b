import { consumeEarlyResponse } from '#core/loading/early-responses.ts'
import { getSession } from '#core/auth/session.tsx'

export interface Request {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: BodyInit | null
  /** Timeout in milliseconds; 0 disables the timeout. */
  readonly timeout: number
  readonly signal?: AbortSignal | undefined
  readonly onUpload?: ((sent: number, total: number) => void) | undefined
}

/** A response of any shape; `body` is undefined when it is not JSON. */
export interface ApiResponse {
  readonly status: number
  readonly body: unknown
  readonly permVersion: string
  /** The session ticket of the request, so that a late 401 does not end a newer login. */
  readonly token: string
}

/** Reason for a missing response. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError'
  readonly reason: 'aborted' | 'timeout' | 'network'

  constructor(reason: NoResponseError['reason']) {
    super(reason)
    this.reason = reason
  }
}

/** Sends one request and reads the response. Throws only `NoResponseError`. */
export function sendRequest(request: Request): Promise<ApiResponse> {
  // Uploads use XMLHttpRequest, because fetch reports no upload progress.
  if (request.onUpload) return sendCounting(request)
  return (
    (request.method === 'GET' && consumeEarlyResponse(request.url)?.catch(() => sendPlain(request))) ||
    sendPlain(request)
  )
}

async function sendPlain({ url, method, headers, body, timeout, signal }: Request): Promise<ApiResponse> {
  const token = getSession()?.token ?? ''
  const limits = [signal, timeout ? AbortSignal.timeout(timeout) : undefined].filter((each) => each !== undefined)
  try {
    const response = await fetch(url, { method, headers, body, signal: AbortSignal.any(limits) })
    const text = await response.text()
    return {
      status: response.status,
      body: parseJson(text),
      permVersion: response.headers.get('x-perm-version') ?? '',
      token,
    }
  } catch (error) {
    if (signal?.aborted) throw new NoResponseError('aborted')
    throw new NoResponseError(error instanceof DOMException && error.name === 'TimeoutError' ? 'timeout' : 'network')
  }
}

function sendCounting({ url, method, headers, body, timeout, signal, onUpload }: Request): Promise<ApiResponse> {
  const token = getSession()?.token ?? ''
  const { promise, resolve, reject } = Promise.withResolvers<ApiResponse>()
  const request = new XMLHttpRequest()
  request.open(method, url)
  request.timeout = timeout
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
  request.upload.onprogress = ({ loaded, total }) => onUpload?.(loaded, total)
  request.onerror = () => reject(new NoResponseError('network'))
  request.ontimeout = () => reject(new NoResponseError('timeout'))
  request.onabort = () => reject(new NoResponseError('aborted'))
  request.onload = () =>
    resolve({
      status: request.status,
      body: parseJson(request.responseText),
      permVersion: request.getResponseHeader('x-perm-version') ?? '',
      token,
    })
  signal?.addEventListener('abort', () => request.abort(), { once: true })
  if (signal?.aborted) reject(new NoResponseError('aborted'))
  else request.send(body as XMLHttpRequestBodyInit | null)
  return promise
}

// A proxy's error page instead of JSON counts as a server failure.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
