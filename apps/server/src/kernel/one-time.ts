import { randomInt } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { md5Hex } from './passwords.ts'

/** Letters and digits nobody mistakes for one another, easy to read out. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

const letters = (count: number) => Array.from({ length: count }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/**
 * Fifty-nine random bits cannot be guessed however cheap a guess is, so the hash may be: an import makes a thousand of them,
 * and the password a person then chooses gets the full one.
 */
const COST = { memoryCost: 8192, timeCost: 1, parallelism: 1 } as const

export interface OneTimePassword {
  /** Shown once, never stored. */
  readonly password: string
  readonly passwordHash: string
}

/** A password good until its first login: three groups of four, within the form's limit of 15. */
export async function oneTimePassword(): Promise<OneTimePassword> {
  const password = [letters(4), letters(4), letters(4)].join('-')
  return { password, passwordHash: await hash(md5Hex(password), COST) }
}

/** A code an administrator hands over for the reset page; case does not matter there. */
export const oneTimeCode = () => letters(10).toUpperCase()
