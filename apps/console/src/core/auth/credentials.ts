import { findCookie, readCookie, removeCookie, writeCookie, YEAR_SECONDS } from './cookies.ts'

/** Prefix of all credentials cookies; the clean-up finds them by this prefix. */
const PREFIX = 'oms_'
/** Cookies that the clean-up keeps. The specification lists the password entry, but the console never writes it. */
const KEPT = ['account', 'username', 'codeType', 'password'] as const

/** The current login. Stored in cookies, so that all browser tabs share one login. */
export interface Credentials {
  readonly token: string
  readonly uid: number
  readonly account: string
  /** The tenant of the session; '' for an account without a tenant. */
  readonly ownerId: string
  readonly ownerName: string
  readonly mustChangePassword: boolean
}

export interface LoginResponse {
  readonly token: string
  readonly uid: number
  readonly account: string
  readonly ownerId: number | null
  readonly ownerName: string
  readonly mustChangePassword: boolean
}

/** The session ticket. The server also requires its own HttpOnly, SameSite=Strict cookie. */
export function saveCredentials(response: LoginResponse) {
  const entries = {
    token: response.token,
    uid: response.uid,
    account: response.account,
    ownerId: response.ownerId ?? '',
    ownerName: response.ownerName,
    mustChange: response.mustChangePassword ? 1 : '',
  }
  for (const [key, value] of Object.entries(entries)) writeCookie(PREFIX + key, String(value), YEAR_SECONDS)
}

/** Stores the tenant that the session switched to. */
export function moveCredentials({ ownerId, ownerName }: { ownerId: number; ownerName: string }) {
  writeCookie(`${PREFIX}ownerId`, String(ownerId), YEAR_SECONDS)
  writeCookie(`${PREFIX}ownerName`, ownerName, YEAR_SECONDS)
}

export function readCredentials(jar = document.cookie): Credentials | undefined {
  const entry = (key: string) => findCookie(jar, PREFIX + key)
  const token = entry('token')
  if (!token) return undefined
  return {
    token,
    uid: Number(entry('uid')),
    account: entry('account'),
    ownerId: entry('ownerId'),
    ownerName: entry('ownerName'),
    mustChangePassword: entry('mustChange') === '1',
  }
}

/**
 * Returns the names of the cookies that the end of a session removes: the credentials, without the values that prefill
 * the login.
 */
export const listCookiesToRemove = (jar: string) =>
  jar
    .split('; ')
    .map((pair) => pair.split('=')[0] ?? '')
    .filter((name) => name.startsWith(PREFIX) && !KEPT.some((kept) => name === PREFIX + kept))

export function clearCredentials() {
  listCookiesToRemove(document.cookie).forEach(removeCookie)
}

/** Stores the account name for the next login; '' removes it. */
export const rememberUsername = (username: string) =>
  username ? writeCookie(`${PREFIX}username`, username, YEAR_SECONDS) : removeCookie(`${PREFIX}username`)
export const readRememberedUsername = () => readCookie(`${PREFIX}username`)
