import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { and, eq, gt, lt, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { challenges } from '#db/schema/account.ts'

export type ChallengeKind = 'captcha' | 'reset'

interface NewChallenge {
  readonly kind: ChallengeKind
  readonly answer: string
  readonly minutes: number
  readonly uid?: number
}

const digest = (answer: string) => createHash('sha256').update(answer.trim().toLowerCase()).digest()

/** Keeps the hash of what a person will have to answer; the id goes to the client, or stays here when `uid` finds it. */
export async function openChallenge(db: Db, { kind, answer, minutes, uid }: NewChallenge): Promise<string> {
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

/** Checks an answer by challenge id. Right or wrong, the challenge is used up. */
export async function answerChallenge(db: Db, kind: ChallengeKind, id: string, answer: string): Promise<boolean> {
  const [found] = await db
    .delete(challenges)
    .where(and(eq(challenges.id, id), eq(challenges.kind, kind), gt(challenges.expireTime, sql`now()`)))
    .returning({ answerHash: challenges.answerHash })
  return found !== undefined && timingSafeEqual(found.answerHash, digest(answer))
}

const MAX_TRIES = 5

/** Checks an account's newest code of this kind; five wrong answers spend it. A right one removes all of the account's. */
export async function answerOf(db: Db, kind: ChallengeKind, uid: number, answer: string): Promise<boolean> {
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
