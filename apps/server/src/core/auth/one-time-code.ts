import { randomInt } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { computeMd5Hex } from './passwords.ts'

/** Letters and digits that are not easily confused. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

const letters = (count: number) => Array.from({ length: count }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/**
 * Cheap hash parameters: one-time passwords have 59 random bits and cannot be guessed. An import creates a thousand of
 * them. The password that the user chooses afterwards is hashed at full cost.
 */
const COST = { memoryCost: 8192, timeCost: 1, parallelism: 1 } as const

export interface OneTimePassword {
  /** Plain text for the response. The database holds only the hash, and the response encrypted for repeated calls. */
  readonly password: string
  readonly passwordHash: string
}

/**
 * Creates a password that is valid until the first login: three groups of four characters, within the form's limit of
 * 15.
 */
export async function createOneTimePassword(): Promise<OneTimePassword> {
  const password = [letters(4), letters(4), letters(4)].join('-')
  return { password, passwordHash: await hash(computeMd5Hex(password), COST) }
}

/** Creates a code that an administrator passes on for the reset page. The reset page ignores case. */
export const createOneTimeCode = () => letters(10).toUpperCase()
