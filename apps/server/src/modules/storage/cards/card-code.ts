import { createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Crockford's alphabet: no I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const RANDOM_LETTERS = 15
const HASH_BYTES = 16

/** Returns the check letter of a code: Luhn's algorithm modulo 32, which detects every wrong letter. */
function checkLetter(letters: string): string {
  let sum = 0
  for (const [at, letter] of [...letters].toReversed().entries()) {
    const value = ALPHABET.indexOf(letter) * (at % 2 === 0 ? 2 : 1)
    sum += Math.floor(value / 32) + (value % 32)
  }
  return ALPHABET[(32 - (sum % 32)) % 32]!
}

/** Returns a new code of 75 random bits and a check letter: `7K3M-9QXA-…`, without the hyphens. */
export function createCardCode(): string {
  const letters = Array.from(randomBytes(RANDOM_LETTERS), (byte) => ALPHABET[byte % 32]).join('')
  return letters + checkLetter(letters)
}

/** Returns a code in groups of four letters. */
export const formatCardCode = (code: string) => code.match(/.{4}/g)!.join('-')

/** Returns the letters of an entered code, with I, L and O read as digits; undefined for an impossible code. */
export function parseCardCode(entered: string): string | undefined {
  const code = entered.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  const isCode = /^[0-9A-HJKMNP-TV-Z]{16}$/.test(code) && checkLetter(code.slice(0, RANDOM_LETTERS)) === code.at(-1)
  return isCode ? code : undefined
}

/** Returns a function that computes the stored hash of a code, with a key of its own. */
export function createCardHasher(secretKey: Buffer): (code: string) => Buffer {
  const key = Buffer.from(hkdfSync('sha256', secretKey, 'v1', 'oms storage card', 32))
  return (code) => createHmac('sha256', key).update(code).digest().subarray(0, HASH_BYTES)
}
