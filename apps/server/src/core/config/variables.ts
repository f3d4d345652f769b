import { z } from 'zod'

/** An empty variable counts as absent, because compose files and unit files unset variables this way. */
export const optionalVariable = z.string().optional()

/** A whole number with its allowed range in the message. */
export function integerBetween(name: string, fallback: number, min: number, max: number) {
  const message = `${name} 应为 ${min}～${max} 的整数，默认 ${fallback}`
  const digits = z.string().regex(/^\d{1,9}$/, message)
  return digits.transform(Number).pipe(z.number().min(min, message).max(max, message)).default(fallback)
}

/** One of the listed words. */
export function oneOf<const T extends readonly [string, ...string[]]>(name: string, values: T) {
  return z.enum(values, `${name} 应为 ${values.join('、')}${values.length > 1 ? ' 之一' : ''}`)
}

/** An address with one of these protocols. */
export function buildUrlSchema(name: string, protocols: readonly string[]) {
  const message = `${name} 应为以 ${protocols.map((protocol) => `${protocol}//`).join(' 或 ')} 开头的地址`
  const fits = (text: string) => URL.canParse(text) && protocols.includes(new URL(text).protocol)
  // `postgres://user@/name?host=/folder` is the URL of a socket connection.
  return z.string().refine((text) => fits(text.replace('@/', '@localhost/')), message)
}
