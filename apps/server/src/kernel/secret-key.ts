import { createHash, randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The 32 bytes that secrets at rest are sealed with: derived from the operator's text, or made once in the data folder.
 * A link, not a write, puts the file in place: two processes starting together end with the same whole key.
 */
export function readSecretKey(dataDir: string, given: string | undefined): Buffer {
  const text = given ?? readOrMake(dataDir)
  return createHash('sha256').update('oms secret key\0').update(text).digest()
}

function readOrMake(dataDir: string): string {
  const path = join(dataDir, 'secret.key')
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
  }
  mkdirSync(dataDir, { recursive: true })
  const fresh = `${path}.${process.pid}`
  writeFileSync(fresh, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(fresh, path)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
  rmSync(fresh)
  return readFileSync(path, 'utf8').trim()
}

const isCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code
