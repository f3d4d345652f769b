import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readOrMake } from './own-file.ts'

/** The 32 bytes that secrets at rest are sealed with: derived from the operator's text, or made once in the data folder. */
export function readSecretKey(dataDir: string, given: string | undefined): Buffer {
  const text =
    given ?? readOrMake(join(dataDir, 'secret.key'), () => `${randomBytes(32).toString('base64url')}\n`).trim()
  return createHash('sha256').update('oms secret key\0').update(text).digest()
}
