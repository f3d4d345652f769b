import type { Endpoint, InputOf, ResultOf } from '@oms/contract/kernel/endpoint.ts'
import { heedAnswer, heedEnvelope, type Heeded } from './answer.ts'
import { Refusal } from './refusal.ts'
import { currentSession } from './session.tsx'
import { send } from './transport.ts'
import { type Fields, sendableOf } from './wire.ts'

export { isRefusal, Refusal } from './refusal.ts'

/** The specification's request timeout. Uploads have none: they last as long as the line needs. */
export const TIMEOUT_MS = 60_000

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Sending the same key again never does the same thing twice. */
  readonly idempotencyKey?: string | undefined
  /**
   * No toast: the caller shows the refusal itself. Dialogs about the session still appear. A function is asked when the
   * answer is there.
   */
  readonly quiet?: boolean | (() => boolean) | undefined
  /** Bytes sent so far, for uploads. */
  readonly onUpload?: ((sent: number, total: number) => void) | undefined
}

/** Headers of every request of a logged-in console. */
export function sessionHeaders(): Record<string, string> {
  const session = currentSession()
  return {
    'x-client': 'console',
    ...(session && { ticket: session.token }),
    ...(session?.ownerId && { ownerId: session.ownerId }),
  }
}

/** Calls one endpoint of the contract. Every request of the console goes through here. */
export async function call<E extends Endpoint>(endpoint: E, input: InputOf<E>, options: CallOptions = {}) {
  return (await callForAnswer(endpoint, input, options)).data
}

/** Like `call`, for those who also want the server's sentence. */
export async function callForAnswer<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  { signal, idempotencyKey, quiet = false, onUpload }: CallOptions = {},
): Promise<Heeded<ResultOf<E>>> {
  const { url, body, contentType } = sendableOf(endpoint, input as Fields)
  const isQuiet = () => (typeof quiet === 'function' ? quiet() : quiet)
  const answer = await send({
    url,
    body,
    method: endpoint.method,
    headers: {
      ...sessionHeaders(),
      ...(contentType && { 'content-type': contentType }),
      ...(idempotencyKey && { 'Idempotency-Key': idempotencyKey }),
    },
    timeout: endpoint.body === 'multipart' ? 0 : TIMEOUT_MS,
    signal,
    onUpload,
  }).catch((error: unknown) => heedAnswer(error, isQuiet()))
  return heedEnvelope<ResultOf<E>>(answer, isQuiet())
}

/** What a screen says when something other than a call went wrong. */
export const messageOf = (error: unknown) => (error instanceof Refusal ? error.message : '页面出错了，请重试')
