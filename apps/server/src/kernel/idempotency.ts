import { createHash } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import type { Envelope } from '@oms/contract/kernel/envelope.ts'
import type { Db } from '#db/client.ts'
import { idempotencyKeys } from '#db/schema/system.ts'
import { invalid } from './problem.ts'

export interface IdempotentCall {
  readonly uid: number
  readonly key: string
  readonly requestHash: string
}

/** Identifies a write by its key and by what it asks for; undefined when the header is absent. */
export function idempotentCall(
  uid: number,
  key: string | undefined,
  what: { method: string; path: string; input: unknown },
) {
  if (key === undefined) return undefined
  if (!/^[\x21-\x7e]{8,255}$/.test(key)) throw invalid('Idempotency-Key 应为 8～255 个可见字符')
  const requestHash = createHash('sha256')
    .update(JSON.stringify([what.method, what.path, what.input]))
    .digest('hex')
  return { uid, key, requestHash } satisfies IdempotentCall
}

/**
 * Claims the key inside the call's transaction. A second call with the same key waits here until the first has
 * committed and then gets its answer; one with another body is refused.
 */
export async function claim(db: Db, { uid, key, requestHash }: IdempotentCall): Promise<Envelope | undefined> {
  const [mine] = await db
    .insert(idempotencyKeys)
    .values({ uid, key, requestHash })
    .onConflictDoNothing()
    .returning({ uid: idempotencyKeys.uid })
  if (mine) return undefined
  const [first] = await db
    .select({ requestHash: idempotencyKeys.requestHash, answer: idempotencyKeys.answer })
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.uid, uid), eq(idempotencyKeys.key, key)))
  if (first?.requestHash !== requestHash) throw invalid('同一 Idempotency-Key 不能用于不同的请求')
  return first.answer as Envelope
}

/** Keeps the answer for repeats of the call; it commits together with the change. */
export const remember = (db: Db, { uid, key }: IdempotentCall, answer: Envelope) =>
  db
    .update(idempotencyKeys)
    .set({ answer })
    .where(and(eq(idempotencyKeys.uid, uid), eq(idempotencyKeys.key, key)))
