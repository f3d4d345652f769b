import type { User } from '#core/http/context.ts'
import type { Rights } from './rights.ts'

/** Reason why a session ended. `tenant` means that its tenant was disabled. */
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
 * Result for a request without a valid session. `ended`: an administrator or another login ended the session. `suspended`:
 * the tenant is disabled. `token`: the API token is not valid. Both contain the reason in words.
 */
export type NoSession =
  | { readonly user: null; readonly reason: 'none' | 'expired' | 'ended' }
  | { readonly user: null; readonly reason: 'suspended' | 'token'; readonly because: string }
export interface AuthenticatedSession {
  readonly user: User
  readonly rights: Rights
}

/** Cached session of this process. Times are values of `performance.now`. */
export interface Live {
  readonly id: string
  readonly uid: number
  readonly tenantId: number | null
  readonly cookieHash: Buffer | null
  readonly expiresAt: number
  readonly endReason: EndReason | null
  lastActive: number
  written: number
  loadedAt: number
}
