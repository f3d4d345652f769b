import type { IncomingMessage } from 'node:http'
import { parseRepairedJson, readReport } from '#modules/device/wire/request.ts'
import type { XiaozhiCall } from '../call.ts'

/** A call of a voice server with a valid secret. */
export interface ServerCall extends XiaozhiCall {
  /** Tenant of the secret. The platform's secret is valid for the devices of all tenants. */
  readonly serverTenant: number
  /** Address and User-Agent of the voice server. */
  readonly server: { readonly address: string; readonly client: string }
}

/** Returns the JSON object of the body. Any other body counts as an object without fields. */
export async function readObjectBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const { text, isCut } = await readReport(request)
  const found = isCut ? undefined : parseRepairedJson(text)
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : {}
}

const MAX_SESSION = 50

/** Returns the id of a session as it is stored. */
export const readSessionId = (value: unknown): string => cleanText(value).slice(0, MAX_SESSION)

/** Returns a text without control characters, or an empty text for any other value. */
export const cleanText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number'
    ? String(value)
        .toWellFormed()
        .replaceAll(/\p{Cc}/gu, '')
        .trim()
    : ''
