import { readCredentials } from './credentials.ts'
import { storeOf } from './store.ts'

/** `expired`: the session ran out, one may stay. `ended`: an administrator or another login ended it. */
export interface Relogin {
  readonly kind: 'expired' | 'ended'
  readonly message: string
  /** The token that was refused: a newer login, in this or another browser tab, makes the dialog pointless. */
  readonly token: string
}

/** The one dialog that asks for a new login; undefined while none is needed. */
export const relogin = storeOf<Relogin | undefined>(undefined)

let leaving = false

/**
 * One is about to be logged out by one's own doing (a changed password ends every session): refusals until then are
 * expected and nothing to ask about.
 */
export function expectLogout(expected: boolean) {
  leaving = expected
}
export const isLeaving = () => leaving

export function askRelogin(kind: Relogin['kind'], message: string, refusedToken: string) {
  const now = readCredentials()?.token
  const renewedMeanwhile = now !== undefined && now !== refusedToken
  if (leaving || relogin.get() || renewedMeanwhile) return
  relogin.set({ kind, message, token: refusedToken })
}
