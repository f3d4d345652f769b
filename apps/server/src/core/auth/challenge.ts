import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { and, eq, gt, lt, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { challenges } from '#core/schema/account.ts'

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
