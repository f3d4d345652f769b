import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export const PERMIT_LIFETIME_MS = 10 * 60_000
/** Maximum number of files of one permit, equal to that of one ticket. */
export const MAX_FILES = 5

/** The right of one device to upload files for a ticket. */
export interface UploadPermit {
  readonly deviceId: number
  readonly tenantId: number
  /** Milliseconds since 1970. */
  readonly expires: number
  readonly nonce: string
}

const FORMAT = /^(\d{1,10})\.(\d{1,10})\.(\d{1,15})\.([\w-]{16})\.([\w-]{43})$/

const hmac = (key: Buffer, use: string, text: string) =>
  createHmac('sha256', key).update(`oms ticket upload ${use}\0${text}`)

/** Creates a signed permit. Every process with the same secret key accepts it. */
export function createPermit(key: Buffer, owner: Pick<UploadPermit, 'deviceId' | 'tenantId'>, now: number) {
  const expires = now + PERMIT_LIFETIME_MS
  const text = `${owner.deviceId}.${owner.tenantId}.${expires}.${randomBytes(12).toString('base64url')}`
  return { expires, permit: `${text}.${hmac(key, 'permit', text).digest('base64url')}` }
}

/** Parses a permit. Returns undefined when the signature is wrong or the permit has expired. */
export function readPermit(key: Buffer, text: string, now: number): UploadPermit | undefined {
  const parts = FORMAT.exec(text)
  if (!parts) return undefined
  const [, deviceId, tenantId, expires, nonce = '', signature = ''] = parts
  const signed = hmac(key, 'permit', text.slice(0, text.lastIndexOf('.'))).digest('base64url')
  if (!timingSafeEqual(Buffer.from(signed), Buffer.from(signature))) return undefined
  const permit = { deviceId: Number(deviceId), tenantId: Number(tenantId), expires: Number(expires), nonce }
  return now < permit.expires ? permit : undefined
}

/** First 8 of the 32 digits of every file id that a device uploads. */
export const formatFilePrefix = (deviceId: number) => deviceId.toString(16).padStart(8, '0')

/**
 * Returns the id of the file at a position (1 to `MAX_FILES`) of a permit. The id is the same on every process, so that
 * the primary key of the table limits a permit to `MAX_FILES` files. Without the secret key nobody can guess the id.
 */
export const deriveFileId = (key: Buffer, { deviceId, nonce }: UploadPermit, position: number) =>
  formatFilePrefix(deviceId) + hmac(key, 'file', `${deviceId}.${nonce}.${position}`).digest('hex').slice(0, 24)
