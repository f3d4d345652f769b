import { hash, timingSafeEqual } from 'node:crypto'

export const computeSha256 = (text: string) => hash('sha256', text, 'buffer')

/** Returns the cache key of a session. */
export const formatSessionCacheKey = (hashed: Buffer, column: 'token' | 'cookie') =>
  `${column}${hashed.toString('latin1')}`

/** Compares a cookie with its stored digest in constant time. */
export const matchesCookie = (expected: Buffer, cookie: string | undefined) =>
  cookie !== undefined && timingSafeEqual(expected, computeSha256(cookie))
