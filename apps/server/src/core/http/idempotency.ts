import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { and, eq, isNull } from 'drizzle-orm'
import type { Envelope } from '@oms/contract/core/envelope.ts'
import type { Db } from '#core/database/client.ts'
import { idempotencyKeys } from '#core/schema/system.ts'
import { invalid, refused } from './api-error.ts'
import type { DataScope, User } from './context.ts'
import { encrypt, decrypt } from '#core/crypto/keys.ts'

/** Account of a call, with the tenant in which it works. */
type CallingUser = Pick<User, 'uid' | 'tenantId' | 'scope'>

export interface IdempotentCall {
  readonly uid: number
  readonly scope: DataScope
  readonly key: string
  readonly requestHash: string
  /** Encrypts stored responses, because some contain one-time passwords. */
  readonly secretKey: Buffer
}

/** Stored response that a repeated call receives instead of a second run. */
export interface StoredResponse {
  readonly envelope: Envelope
  /** Data scope of the account at the first call. Absent in responses that an earlier version stored. */
  readonly scope?: DataScope
  /** Session cookie that the first response set (null: cleared). */
  readonly cookie?: string | null
  /** SHA-256 of the file that the first call sent. */
  readonly fileHash?: string
}

const WAIT_MS = 20_000
const POLL_MS = 200
const OTHER_REQUEST = '同一 Idempotency-Key 不能用于不同的请求'
const UNKNOWN_RESULT = '相同的请求仍在处理或上次的结果未知，请稍后刷新核对'
const NARROWED_SCOPE = '您的数据范围已变化，请刷新后重新操作'

/**
 * Identifies a mutation by its key, the tenant in which the account works, and its input; undefined when the header is
 * absent.
 */
export function readIdempotentCall(
  { user, key, secretKey }: { user: CallingUser; key: string | undefined; secretKey: Buffer },
  what: { method: string; path: string; input: unknown; fileName?: string | undefined },
): IdempotentCall | undefined {
  if (key === undefined) return undefined
  if (!/^[\x21-\x7e]{8,255}$/.test(key)) throw invalid('Idempotency-Key 应为 8～255 个可见字符')
  const requestHash = createHash('sha256')
    .update(JSON.stringify([what.method, what.path, what.input, what.fileName, user.tenantId]))
    .digest('hex')
  return { uid: user.uid, scope: user.scope, key, requestHash, secretKey }
}

/**
 * Claims the key inside the call's transaction. A second call with the same key waits for the commit of the first call
 * and then gets its response. A call with the same key and another body is refused.
 */
export async function claimKey(db: Db, call: IdempotentCall): Promise<StoredResponse | undefined> {
  const found = await tryClaim(db, call)
  if (found === 'running') throw refused(UNKNOWN_RESULT)
  return found === 'claimed' ? undefined : found
}

/**
 * Claims the key for a call that runs outside a transaction. A second call waits until the first call has its response.
 * The claim of a killed process stays for a day, because the effect of its call is unknown.
 */
export async function claimKeyOutsideTransaction(db: Db, call: IdempotentCall): Promise<StoredResponse | undefined> {
  for (let waited = 0; waited <= WAIT_MS; waited += POLL_MS) {
    const found = await tryClaim(db, call)
    if (found === 'claimed') return undefined
    if (found !== 'running') return found
    await sleep(POLL_MS)
  }
  throw refused(UNKNOWN_RESULT)
}

async function tryClaim(db: Db, call: IdempotentCall): Promise<StoredResponse | 'claimed' | 'running'> {
  const { uid, key, requestHash, secretKey } = call
  const [mine] = await db
    .insert(idempotencyKeys)
    .values({ uid, key, requestHash })
    .onConflictDoNothing()
    .returning({ uid: idempotencyKeys.uid })
  if (mine) return 'claimed'
  const [first] = await db
    .select({ requestHash: idempotencyKeys.requestHash, answer: idempotencyKeys.answer })
    .from(idempotencyKeys)
    .where(rowOf(call))
  // The first call failed and released its claim, so this call may run.
  if (!first) return tryClaim(db, call)
  if (first.requestHash !== requestHash) throw invalid(OTHER_REQUEST)
  if (first.answer === null) return 'running'
  const stored = JSON.parse(decrypt(secretKey, first.answer as string)) as StoredResponse
  // The response may name records that the account may no longer see.
  if (!stored.scope || !containsScope(call.scope, stored.scope)) throw refused(NARROWED_SCOPE)
  return stored
}

function containsScope(now: DataScope, then: DataScope): boolean {
  if (now.ownOnly && !then.ownOnly) return false
  if (now.tenants === 'all') return true
  const { tenants } = now
  return then.tenants !== 'all' && then.tenants.every((id) => tenants.includes(id))
}

const rowOf = ({ uid, key }: IdempotentCall) => and(eq(idempotencyKeys.uid, uid), eq(idempotencyKeys.key, key))

/** Stores the response for repeated calls. Inside a transaction, the response commits together with the change. */
export const storeResponse = (db: Db, call: IdempotentCall, answer: StoredResponse) =>
  db
    .update(idempotencyKeys)
    .set({ answer: encrypt(call.secretKey, JSON.stringify(answer)) })
    .where(rowOf(call))

/** Releases the key of a failed call, so that the call can be retried. */
export const releaseKey = (db: Db, call: IdempotentCall) =>
  db.delete(idempotencyKeys).where(and(rowOf(call), isNull(idempotencyKeys.answer)))

/** Refuses a repeated call whose file differs from the file of the first call. */
export function assertSameFile({ fileHash }: StoredResponse, sent: string | undefined) {
  if (fileHash !== sent) throw invalid(OTHER_REQUEST)
}
