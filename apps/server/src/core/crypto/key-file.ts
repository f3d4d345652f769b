import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory } from '#core/storage/local/make-directory.ts'

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
