import type { ServerResponse } from 'node:http'
import { describeLlmFailure, type LlmError } from '../../../llm/llm-error.ts'

/** Thrown to end a call of the relay with this status and an error body that OpenAI clients understand. */
export class RelayRefusedError extends Error {
  override readonly name = 'RelayRefusedError'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, words: string) {
    super(words)
    this.status = status
    this.code = code
  }
}

/** Returns the refusal when too many completions are running. */
export const createBusyRefusal = (status: 429 | 503) =>
  new RelayRefusedError(status, 'rate_limit_exceeded', 'too many completions')

/** Statuses other than 502. A vendor that refuses the request itself refuses its messages or parameters. */
const VENDOR_STATUS: Partial<Record<LlmError['kind'], number>> = { quota: 429, time: 504, request: 400 }

/** Returns the refusal after every vendor failed. Text of the vendor is not passed on. */
export const toVendorRefusal = (error: LlmError) =>
  new RelayRefusedError(VENDOR_STATUS[error.kind] ?? 502, `vendor_${error.kind}`, describeLlmFailure(error))

const RESTARTING = 'restarting'

/** Ends a completion because the process stops. A client that received nothing may repeat the call elsewhere. */
export function endForRestart(response: ServerResponse) {
  const words = 'OMS restarts'
  if (!response.headersSent) throw new RelayRefusedError(503, RESTARTING, words)
  if (!response.destroyed) response.end(`data: ${formatErrorBody(RESTARTING, words)}\n\n`)
}

/**
 * Sends a refusal. `x-should-retry` keeps OpenAI clients from repeating the call, because the relay has tried the
 * fallback already. Only while this process stops may another process succeed.
 */
export function sendRelayRefusal(response: ServerResponse, { status, code, message }: RelayRefusedError) {
  if (response.headersSent || response.destroyed) return void response.destroy()
  const text = Buffer.from(formatErrorBody(code, message))
  const headers = {
    'content-type': 'application/json',
    'content-length': text.length,
    'x-should-retry': String(code === RESTARTING),
  }
  response.writeHead(status, headers).end(text)
}

/** Returns the JSON of an error, which OpenAI clients understand in a response and in an event. */
export const formatErrorBody = (code: string, message: string) =>
  JSON.stringify({ error: { message, type: 'relay_error', param: null, code } })
