import type { ZodError } from 'zod'
import { requireJsonObject, readBodyText } from '#modules/device/wire/read-body.ts'
import { badRequest } from '#modules/device/wire/response.ts'
import type { ScreenRequest } from '../screen-call.ts'

/** Returns the error that names the first wrong field of a body. */
export const toFieldError = (error: ZodError) =>
  badRequest(`${error.issues[0]?.path.join('.') || 'body'} has a value that is not allowed`)

/** Returns the serial number of a body. */
export function requireSerial({ sn }: Readonly<Record<string, unknown>>): string {
  if (typeof sn !== 'string' || sn === '') throw badRequest('sn is missing')
  return sn
}

/**
 * Returns the body of a call as an object. Invalid JSON is refused and not repaired, unlike JSON in reports of updates.
 */
export async function readJsonBody({ request }: Pick<ScreenRequest, 'request'>): Promise<Record<string, unknown>> {
  const text = await readBodyText(request)
  try {
    return requireJsonObject(JSON.parse(text))
  } catch {
    throw badRequest('the body must be a JSON object')
  }
}
