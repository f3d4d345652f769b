import type { Readable } from 'node:stream'
import type { Db } from '#core/database/client.ts'
import type { FieldChange } from '#core/schema/system.ts'
import type { Services } from '#core/services.ts'

/** Tenants whose rows the account may see: all or a list. `ownOnly` limits access to rows that the account created. */
export interface DataScope {
  readonly tenants: 'all' | readonly number[]
  readonly ownOnly: boolean
}

/** The account that sent a request, with its current rights. */
export interface User {
  readonly uid: number
  readonly account: string
  readonly realname: string
  /** Home tenant; null before the account joins a tenant. */
  readonly homeTenantId: number | null
  /** Tenant that this session works in. */
  readonly tenantId: number | null
  readonly isPlatform: boolean
  readonly isSuper: boolean
  readonly roleIds: readonly number[]
  readonly roleCodes: readonly string[]
  readonly scope: DataScope
  readonly sessionId: string
  /** Name of the API token of the call; absent in a session. */
  readonly tokenName?: string
  readonly mustChangePassword: boolean
  can(permission: string): boolean
  /** All granted permission strings, with the wildcard expanded. */
  readonly permissions: ReadonlySet<string>
}

/** Facts of the request. */
export interface RequestFacts {
  readonly id: string
  readonly ip: string
  readonly userAgent: string
  readonly method: string
  readonly url: string
  /** Time of the arrival of the request; absent for calls that no request started. */
  readonly receivedAt?: Date
  /** Returns a header by its lower-case name; `undefined` when absent or repeated. */
  header(name: string): string | undefined
}

/** The file of a multipart or binary call, not read yet. */
export interface IncomingFile {
  readonly name: string
  readonly stream: Readable
}

/**
 * One record of an action on several records, which may belong to several tenants. Its row of the operation log names
 * only this record.
 */
export interface LoggedRecord {
  readonly id: string | number
  /** Kind of this record, when the records of the call have several kinds. Default: `bizType` of the call's note. */
  readonly bizType?: string
  /** Text of the action in the log row of this record, in Chinese, with the name of the record. */
  readonly action: string
  /** Input fields of this row, instead of those of the call. Without it, the field `ids` has the id of the record. */
  readonly input?: Readonly<Record<string, unknown>>
}

/** Facts that a handler adds to the operation log besides contract and input. */
export interface AuditNote {
  /** Kind of record, for example `role`. Together with `bizId`, it selects the history of one record. */
  bizType?: string
  bizId?: string | number
  /** Ids of several records of one tenant that one sentence describes, instead of `bizId`. */
  bizIds?: readonly (string | number)[]
  /** Records with one sentence each, instead of `bizId`. Without a record, `action` describes the call. */
  records?: readonly LoggedRecord[]
  /** Chinese sentence: `新增角色「售后主管」`. */
  action?: string
  diff?: FieldChange[]
  /** Caller without a console account, such as an App user. Accounts of `tenantId` see the log row. */
  actor?: { readonly tenantId: number; readonly name: string }
}

export interface PublicCtx {
  /** The mutation's transaction. A handler must use no other connection. */
  readonly db: Db
  readonly now: Date
  readonly request: RequestFacts
  readonly services: Services
  readonly user: User | null
  readonly incoming: IncomingFile | null
  /** Adds facts to the operation-log row of this call. */
  audit(note: AuditNote): void
  /**
   * Writes the operation-log row of a call that opens its own transactions in one of them, so that the change never
   * commits without its row. Call it after `audit`. Without it, the row follows after the handler.
   */
  recordIn(db: Db): Promise<void>
  /** Runs a task after the commit. A failed task is logged and does not revert the call. */
  afterCommit(task: () => Promise<void> | void): void
  /** Replaces the envelope's `msg`, which defaults to the contract's `done`. */
  say(msg: string): void
  /** Sets the HttpOnly cookie that a console session is bound to; null clears it. */
  setSessionCookie(value: string | null): void
}

/** Context of an authenticated call. */
export interface Ctx extends PublicCtx {
  readonly user: User
}
