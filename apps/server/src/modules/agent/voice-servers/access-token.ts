import { createHmac } from 'node:crypto'

/** Identifiers of a voice connection, exactly as in its headers `Client-Id` and `Device-Id`. */
export interface ConnectionIds {
  readonly clientId: string
  readonly deviceId: string
}

/**
 * Returns the token of a voice connection: a signature and the second of its creation. Voice servers check the
 * signature with the same secret (`core/auth.py` of xiaozhi-esp32-server).
 */
export function createAccessToken(secret: string, { clientId, deviceId }: ConnectionIds, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000)
  const signature = createHmac('sha256', secret).update(`${clientId}|${deviceId}|${seconds}`).digest('base64url')
  return `${signature}.${seconds}`
}
