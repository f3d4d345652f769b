import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '#core/crypto/keys.ts'

const MAC_BYTES = 16
/** Number of characters of the signature at the end of a token. */
const MAC_LENGTH = 22

const macOf = (secretKey: Buffer, use: string, text: string) =>
  createHmac('sha256', deriveKey(secretKey, use)).update(text).digest().subarray(0, MAC_BYTES)

/**
 * Returns whole numbers of at least 0 as a signed text for use in a URL: base 36, joined by dots, and the
 * signature. Every process with the same secret key accepts the token; a token of another `use` is refused.
 */
export function signNumbers(secretKey: Buffer, use: string, numbers: readonly number[]): string {
  const text = numbers.map((number) => number.toString(36)).join('.')
  return `${text}.${macOf(secretKey, use, text).toString('base64url')}`
}

/** Returns the `count` numbers of a token; undefined when the signature or the form is wrong. */
export function readNumbers(secretKey: Buffer, use: string, token: string, count: number): number[] | undefined {
  const end = token.length - MAC_LENGTH - 1
  if (end < 1 || token.length > 200 || token[end] !== '.') return undefined
  const text = token.slice(0, end)
  const given = Buffer.from(token.slice(end + 1), 'base64url')
  if (given.length !== MAC_BYTES || !timingSafeEqual(given, macOf(secretKey, use, text))) return undefined
  const numbers = text.split('.').map((part) => Number.parseInt(part, 36))
  return numbers.length === count ? numbers : undefined
}
