import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readOrCreateKey } from './key-file.ts'

/**
 * Returns the 32-byte key that encrypts stored secrets. The key is derived from the operator's text or created once in
 * the data folder.
 */
export function readSecretKey(dataDir: string, given: string | undefined): Buffer {
  const text =
    given ?? readOrCreateKey(join(dataDir, 'secret.key'), () => `${randomBytes(32).toString('base64url')}\n`).trim()
  return createHash('sha256').update('oms secret key\0').update(text).digest()
}
