import type { User } from './context.ts'
import type { Rights } from './rights.ts'

/** Why a session ended; `tenant`: its whole tenant was switched off. */
export type EndReason = 'logout' | 'idle' | 'expired' | 'forced' | 'replaced' | 'disabled' | 'password' | 'tenant'

export interface NewSession {
  readonly token: string
  /** Value of the HttpOnly cookie; null for API clients. */
  readonly cookie: string | null
  readonly sessionId: string
}

export interface SessionFacts {
  readonly uid: number
  readonly tenantId: number | null
  readonly ip: string
  readonly userAgent: string
  readonly console: boolean
}

/**
 * A request without a valid session: `ended` when an administrator or another login put an end to it, `barred` when
 * its whole tenant was switched off, with the reason in words.
 */
export type NoSession =
  | { readonly user: null; readonly reason: 'none' | 'expired' | 'ended' }
  | { readonly user: null; readonly reason: 'barred'; readonly because: string }
export interface Admitted {
  readonly user: User
  readonly rights: Rights
}
