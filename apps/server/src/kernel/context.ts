import type { Readable } from 'node:stream'
import type { Db } from '#db/client.ts'
import type { FieldChange } from '#db/schema/system.ts'
import type { Kernel } from './kernel.ts'

/** Which tenants' rows the account may see: every one, or those named; `ownOnly`: just the rows it made itself. */
export interface DataScope {
  readonly tenants: 'all' | readonly number[]
  readonly ownOnly: boolean
}

/** The account behind a request, with what it may do right now. */
export interface User {
  readonly uid: number
  readonly account: string
  readonly realname: string
  /** The tenant it belongs to; null before it has joined one. */
  readonly homeTenantId: number | null
  /** The tenant this session works in. */
  readonly tenantId: number | null
  readonly isPlatform: boolean
  readonly isSuper: boolean
  readonly roleIds: readonly number[]
  readonly roleCodes: readonly string[]
  readonly scope: DataScope
  readonly sessionId: string
  readonly mustChangePassword: boolean
  can(permission: string): boolean
  /** Every permission string held by name (the wildcard expanded). */
  readonly permissions: ReadonlySet<string>
}

/** What is known of the request itself. */
export interface RequestFacts {
  readonly id: string
  readonly ip: string
  readonly userAgent: string
  readonly method: string
  readonly url: string
  /** Lower-case header; `undefined` when absent or repeated. */
  header(name: string): string | undefined
}

/** The one file of a multipart or binary call, still on its way in. */
export interface Incoming {
  readonly name: string
  readonly stream: Readable
}

/** What a handler tells the operation log beyond what the contract and the input say. */
export interface AuditNote {
  /** The kind of record, e.g. `role`; with `bizId` it opens the history of one record. */
  bizType?: string
  bizId?: string | number
  /** The same was done to each of these records; instead of `bizId`. */
  bizIds?: readonly (string | number)[]
  /** A readable sentence: `新增角色「售后主管」`. */
  action?: string
  diff?: FieldChange[]
}

export interface PublicCtx {
  /** Inside a mutation this is the transaction; use no other. */
  readonly db: Db
  readonly now: Date
  readonly request: RequestFacts
  readonly kernel: Kernel
  readonly user: User | null
  readonly incoming: Incoming | null
  /** Adds to this call's row in the operation log. */
  audit(note: AuditNote): void
  /** Runs after the transaction has committed; a failure there is logged and does not undo the call. */
  afterCommit(task: () => Promise<void> | void): void
  /** Replaces the envelope's `msg`, which is the contract's `done` otherwise. */
  say(msg: string): void
  /** Sets (or with null clears) the HttpOnly cookie a console session is bound to. */
  setSessionCookie(value: string | null): void
}

/** Everything a service may touch. */
export interface Ctx extends PublicCtx {
  readonly user: User
}
