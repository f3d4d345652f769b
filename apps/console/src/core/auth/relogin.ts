import { readCredentials } from './credentials.ts'
import { createStore } from '#core/events/store.ts'

/**
 * `expired`: the session timed out, and the page stays open. `ended`: an administrator or another login ended the
 * session.
 */
export interface Relogin {
  readonly kind: 'expired' | 'ended'
  readonly message: string
  /** The refused session ticket; the dialog is skipped when a newer login exists in any browser tab. */
  readonly token: string
}

/** State of the login dialog; undefined while no login is required. */
export const relogin = createStore<Relogin | undefined>(undefined)

let leaving = false

/** Suppresses the login dialog before an expected logout, such as a password change that ends all sessions. */
export function expectLogout(expected: boolean) {
  leaving = expected
}
export const isLeaving = () => leaving

export function requestRelogin(kind: Relogin['kind'], message: string, refusedToken: string) {
  const now = readCredentials()?.token
  const renewedMeanwhile = now !== undefined && now !== refusedToken
  if (leaving || relogin.get() || renewedMeanwhile) return
  relogin.set({ kind, message, token: refusedToken })
}
