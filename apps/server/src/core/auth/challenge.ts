import { createHash, randomBytes, timingSafeEqual, randomInt } from 'node:crypto'
import { and, eq, gt, lt, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { challenges } from '#core/schema/account.ts'
import { hash } from '@node-rs/argon2'
import { computeMd5Hex } from './passwords.ts'

export type ChallengeKind = 'captcha' | 'reset'

interface NewChallenge {
  readonly kind: ChallengeKind
  readonly answer: string
  readonly minutes: number
  readonly uid?: number
}

const digest = (answer: string) => createHash('sha256').update(answer.trim().toLowerCase()).digest()

/**
 * Stores the hash of the expected answer. Returns the challenge id; with `uid` the challenge is found by account
 * instead.
 */
export async function createChallenge(db: Db, { kind, answer, minutes, uid }: NewChallenge): Promise<string> {
  const id = randomBytes(16).toString('hex')
  await db.insert(challenges).values({
    id,
    kind,
    uid: uid ?? null,
    answerHash: digest(answer),
    expireTime: sql`now() + make_interval(mins => ${minutes})` as unknown as string,
  })
  return id
}

/** Checks an answer by challenge id. Every answer, right or wrong, consumes the challenge. */
export async function answerChallenge(db: Db, kind: ChallengeKind, id: string, answer: string): Promise<boolean> {
  const [found] = await db
    .delete(challenges)
    .where(and(eq(challenges.id, id), eq(challenges.kind, kind), gt(challenges.expireTime, sql`now()`)))
    .returning({ answerHash: challenges.answerHash })
  return found !== undefined && timingSafeEqual(found.answerHash, digest(answer))
}

const MAX_TRIES = 5

/**
 * Checks the newest code of this kind of an account. Five wrong answers consume the code. A right answer deletes all
 * codes of the account of this kind.
 */
export async function answerAccountChallenge(
  db: Db,
  kind: ChallengeKind,
  uid: number,
  answer: string,
): Promise<boolean> {
  const open = and(
    eq(challenges.uid, uid),
    eq(challenges.kind, kind),
    gt(challenges.expireTime, sql`now()`),
    lt(challenges.tries, MAX_TRIES),
  )
  const tried = await db
    .update(challenges)
    .set({ tries: sql`${challenges.tries} + 1` })
    .where(open)
    .returning({ answerHash: challenges.answerHash })
  if (!tried.some(({ answerHash }) => timingSafeEqual(answerHash, digest(answer)))) return false
  await db.delete(challenges).where(and(eq(challenges.uid, uid), eq(challenges.kind, kind)))
  return true
}

/** Letters and digits that are not easily confused. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

const letters = (count: number) => Array.from({ length: count }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/**
 * Cheap hash parameters: one-time passwords have 59 random bits and cannot be guessed. An import creates a thousand of
 * them. The password that the user chooses afterwards is hashed at full cost.
 */
const COST = { memoryCost: 8192, timeCost: 1, parallelism: 1 } as const

interface OneTimePassword {
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
