import type { ZodError } from 'zod'
import { jsonObject, readText } from '#protocols/shared/read-body.ts'
import { wrong } from '#protocols/shared/response.ts'
import type { ScreenRequest } from '#protocols/shared/access/screen-call.ts'

/** Returns the error that names the first wrong field of a body. */
export const wrongField = (error: ZodError) =>
  wrong(`${error.issues[0]?.path.join('.') || 'body'} has a value that is not allowed`)

/** Returns the serial number of a body. */
export function serialOf({ sn }: Readonly<Record<string, unknown>>): string {
  if (typeof sn !== 'string' || sn === '') throw wrong('sn is missing')
  return sn
}

/**
 * Returns the body of a call as an object. Invalid JSON is refused and not repaired, unlike JSON in reports of updates.
 */
export async function bodyOf({ request }: Pick<ScreenRequest, 'request'>): Promise<Record<string, unknown>> {
  const text = await readText(request)
  try {
    return jsonObject(JSON.parse(text))
  } catch {
    throw wrong('the body must be a JSON object')
  }
}
