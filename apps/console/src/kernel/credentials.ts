import { cookieIn, readCookie, removeCookie, writeCookie, YEAR_SECONDS } from './cookies.ts'

/** Every credentials cookie carries this prefix; the clean-up finds them by it. */
const PREFIX = 'oms_'
/**
 * What survives a clean-up. The password entry is on the list because the specification has it there;
 * nothing ever writes it.
 */
const KEPT = ['account', 'username', 'codeType', 'password'] as const

/** Who is logged in here. The cookies hold it, so every browser tab of this person shares one login. */
export interface Credentials {
  readonly token: string
  readonly uid: number
  readonly account: string
  /** The tenant one works in; '' for an account that belongs to none. */
  readonly ownerId: string
  readonly ownerName: string
  readonly mustChangePassword: boolean
}

export interface LoginAnswer {
  readonly token: string
  readonly uid: number
  readonly account: string
  readonly ownerId: number | null
  readonly ownerName: string
  readonly mustChangePassword: boolean
}

/** The token opens nothing alone: the server also binds the session to an HttpOnly, SameSite=Strict cookie of its own. */
export function saveCredentials(answer: LoginAnswer) {
  const entries = {
    token: answer.token,
    uid: answer.uid,
    account: answer.account,
    ownerId: answer.ownerId ?? '',
    ownerName: answer.ownerName,
    mustChange: answer.mustChangePassword ? 1 : '',
  }
  for (const [key, value] of Object.entries(entries)) writeCookie(PREFIX + key, String(value), YEAR_SECONDS)
}

/** The same login works in another tenant from now on. */
export function moveCredentials({ ownerId, ownerName }: { ownerId: number; ownerName: string }) {
  writeCookie(`${PREFIX}ownerId`, String(ownerId), YEAR_SECONDS)
  writeCookie(`${PREFIX}ownerName`, ownerName, YEAR_SECONDS)
}

export function readCredentials(jar = document.cookie): Credentials | undefined {
  const entry = (key: string) => cookieIn(jar, PREFIX + key)
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

/** Names of the cookies a clean-up removes: ours, but for those that help the next login. */
export const cookiesToRemove = (jar: string) =>
  jar
    .split('; ')
    .map((pair) => pair.split('=')[0] ?? '')
    .filter((name) => name.startsWith(PREFIX) && !KEPT.some((kept) => name === PREFIX + kept))

export function clearCredentials() {
  cookiesToRemove(document.cookie).forEach(removeCookie)
}

/** The account name offered at the next login; '' forgets it. */
export const rememberUsername = (username: string) =>
  username ? writeCookie(`${PREFIX}username`, username, YEAR_SECONDS) : removeCookie(`${PREFIX}username`)
export const rememberedUsername = () => readCookie(`${PREFIX}username`)
