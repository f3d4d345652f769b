import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

/** Characters of a pairing code. 0, O, 1, I and L are left out, because people confuse them. */
const LETTERS = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'
const LENGTH = 6
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
const SMIL_KEY_LENGTH = 26

export const PAIRING_SECONDS = 900

const lettersOf = (alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

export const createPairingCode = () => lettersOf(LETTERS, LENGTH)

/** Returns 130 random bits in base32 for the address of a SMIL index. */
export const generateSmilKey = () => lettersOf(BASE32, SMIL_KEY_LENGTH)

/** Returns a token of 256 random bits. */
export const createPlayerToken = () => randomBytes(32).toString('base64url')

export const hashSecret = (secret: string) => hash('sha256', secret)

/** Returns true when the secret has the stored hash. Compares in constant time. */
export const matchesSecret = (secret: string, stored: string) =>
  timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(stored.padEnd(64).slice(0, 64)))
