import { hkdfSync, createCipheriv, createDecipheriv, randomBytes, createHash } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirectory } from '#core/storage/local/local-files.ts'

const KEY_BYTES = 32
const keys = new WeakMap<Buffer, Map<string, Buffer>>()

/**
 * Returns the key of one use, derived from the installation's secret key by HKDF-SHA256 and kept in memory. A higher
 * `version` makes all earlier tokens of the use invalid.
 */
export function deriveKey(secretKey: Buffer, use: string, version = 1): Buffer {
  const info = `oms ${use} ${version}`
  const byInfo = keys.get(secretKey) ?? new Map<string, Buffer>()
  keys.set(secretKey, byInfo)
  const known = byInfo.get(info)
  if (known) return known
  const derived = Buffer.from(hkdfSync('sha256', secretKey, '', info, KEY_BYTES))
  byInfo.set(info, derived)
  return derived
}

/** Encrypts a secret under the installation's key (AES-256-GCM); the text carries its nonce and tag. */
export function encrypt(key: Buffer, plain: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`
}

/** Decrypts the result of `encrypt`. Throws when the key differs or the text was changed. */
export function decrypt(key: Buffer, encrypted: string): string {
  const data = Buffer.from(encrypted.slice(3), 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, 12))
  decipher.setAuthTag(data.subarray(12, 28))
  return Buffer.concat([decipher.update(data.subarray(28)), decipher.final()]).toString('utf8')
}

/**
 * Returns the content of a key file in the data folder. Creates the file, readable by its owner only, when missing. The
 * file is put in place by a hard link, so that two processes that start together read the same complete file.
 */
export function readOrCreateKey(path: string, make: () => string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
  }
  makeDirectory(dirname(path))
  const fresh = `${path}.${process.pid}`
  writeFileSync(fresh, make(), { mode: 0o600, flush: true })
  try {
    linkSync(fresh, path)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
  rmSync(fresh)
  return readFileSync(path, 'utf8')
}

const isCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code

/**
 * Returns the 32-byte key that encrypts stored secrets. The key is derived from the operator's text or created once in
 * the data folder.
 */
export function readSecretKey(dataDir: string, given: string | undefined): Buffer {
  const text =
    given ?? readOrCreateKey(join(dataDir, 'secret.key'), () => `${randomBytes(32).toString('base64url')}\n`).trim()
  return createHash('sha256').update('oms secret key\0').update(text).digest()
}

/** Returns a secret of 256 random bits as base64url. `prefix` tells people and secret scanners what the secret opens. */
export const createSecret = (prefix = '') => `${prefix}${randomBytes(32).toString('base64url')}`
