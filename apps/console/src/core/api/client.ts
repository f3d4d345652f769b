import type { Endpoint, InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { handleResponse, handleEnvelope, type WithMessage } from './response.ts'
import { ApiError } from './api-error.ts'
import { can, getSession } from '#core/auth/session.tsx'
import { sendRequest } from './transport.ts'
import { type Fields, toRequestParts } from './wire.ts'

export { isApiError, ApiError } from './api-error.ts'

/** Request timeout of the specification in milliseconds. Uploads have no timeout. */
export const TIMEOUT_MS = 60_000

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Idempotency key: the server executes requests with the same key only once. */
  readonly idempotencyKey?: string | undefined
  /**
   * Suppresses the error toast, because the caller shows the error. Dialogs about the session still appear. A
   * function is evaluated when the response arrives.
   */
  readonly quiet?: boolean | (() => boolean) | undefined
  /** Progress callback of uploads with the number of bytes sent. */
  readonly onUpload?: ((sent: number, total: number) => void) | undefined
}

/** Returns the headers of every authenticated request. */
export function buildSessionHeaders(): Record<string, string> {
  const session = getSession()
  return {
    'x-client': 'console',
    ...(session && { ticket: session.token }),
    ...(session?.ownerId && { ownerId: session.ownerId }),
  }
}

/** Calls one endpoint of the contract. All requests of the console use this function. */
export async function call<E extends Endpoint>(endpoint: E, input: InputOf<E>, options: CallOptions = {}) {
  return (await callReturningMessage(endpoint, input, options)).data
}

/** Loads the current record for an edit form. Without the permission to read, the list row is used. */
export const readFresh = async <E extends Endpoint, Row>(endpoint: E, input: InputOf<E>, row: Row) =>
  can(endpoint.access) ? call(endpoint, input, { quiet: true }) : row

/** Calls an endpoint and returns the data together with the server's message. */
export async function callReturningMessage<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  { signal, idempotencyKey, quiet = false, onUpload }: CallOptions = {},
): Promise<WithMessage<ResultOf<E>>> {
  const { url, body, contentType } = toRequestParts(endpoint, input as Fields)
  const isQuiet = () => (typeof quiet === 'function' ? quiet() : quiet)
  const response = await sendRequest({
    url,
    body,
    method: endpoint.method,
    headers: {
      ...buildSessionHeaders(),
      ...(contentType && { 'content-type': contentType }),
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
    },
    timeout: endpoint.body === 'multipart' ? 0 : TIMEOUT_MS,
    signal,
    onUpload,
  }).catch((error: unknown) => handleResponse(error, isQuiet()))
  return handleEnvelope<ResultOf<E>>(response, isQuiet())
}

/** Returns the message for an error that is not an API error. */
export const findErrorMessage = (error: unknown) => (error instanceof ApiError ? error.message : '页面出错了，请重试')
