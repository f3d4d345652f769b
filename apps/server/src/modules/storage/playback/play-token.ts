import type { PlayPermit } from '../video/recordings/play-guard.ts'
import { readNumbers, signNumbers } from '../video/signed-token.ts'

const USE = 'play'
const MIN_MS = 3600_000
const MAX_MS = 12 * 3600_000

/** Contents of a play token. All times are milliseconds since 1970. */
export interface PlayToken extends PlayPermit {
  readonly channel: number
  readonly begin: number
  readonly end: number
  readonly expires: number
}

const FIELDS = [
  'deviceId',
  'channel',
  'tenantId',
  'ownerId',
  'consentId',
  'keyId',
  'keyEpoch',
  'accountEpoch',
  'begin',
  'end',
  'expires',
] as const

/** Token fields of a view by staff, which uses a consent instead of an App session. */
export const NO_SESSION = { keyId: 0, keyEpoch: 0, accountEpoch: 0 } as const

/** Signs a play address that is valid for twice the length of the range, at least 1 h and at most 12 h. */
export function createPlayToken(secretKey: Buffer, range: Omit<PlayToken, 'expires'>, now: number) {
  const expires = now + Math.min(Math.max(MIN_MS, 2 * (range.end - range.begin)), MAX_MS)
  const values = { ...range, expires }
  return {
    expires,
    token: signNumbers(
      secretKey,
      USE,
      FIELDS.map((field) => values[field]),
    ),
  }
}

/** Returns the contents of a token; undefined when the signature is wrong or the time is over. */
export function readPlayToken(secretKey: Buffer, token: string, now: number): PlayToken | undefined {
  const numbers = readNumbers(secretKey, USE, token, FIELDS.length)
  if (!numbers) return undefined
  const permit = Object.fromEntries(FIELDS.map((field, at) => [field, numbers[at]])) as unknown as PlayToken
  return now < permit.expires ? permit : undefined
}

/** Address of a file below a token, relative to the server. */
export const formatPlayUrl = (token: string, file: string) => `/api/v1/oss/play/${token}/${file}`

/** Address of a playlist. Segments have addresses relative to the playlist. */
export const formatPlaylistUrl = (token: string) => formatPlayUrl(token, 'index.m3u8')
