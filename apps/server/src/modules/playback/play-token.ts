import { readNumbers, signNumbers } from '#domain/video/signed-token.ts'

const USE = 'play'
const MIN_MS = 3600_000
const MAX_MS = 12 * 3600_000

/** Contents of a play token. All times are milliseconds since 1970. */
export interface PlayToken {
  readonly deviceId: number
  readonly channel: number
  readonly tenantId: number
  /** App account whose recordings are played; 0: a device without an account. */
  readonly ownerId: number
  /** Consent of a view by staff; 0: the owner plays. */
  readonly consentId: number
  readonly begin: number
  readonly end: number
  readonly expires: number
}

const FIELDS = ['deviceId', 'channel', 'tenantId', 'ownerId', 'consentId', 'begin', 'end', 'expires'] as const

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

/** Address of a playlist, relative to the server. Segments have addresses relative to the playlist. */
export const playlistUrl = (token: string) => `/api/v1/oss/play/${token}/index.m3u8`
