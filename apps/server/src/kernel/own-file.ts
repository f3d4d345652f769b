import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder } from './files/make-folder.ts'

/**
 * The text of a file in the data folder, made once and for its owner only. A link, not a write, puts it in place: two
 * processes starting together end with the same whole file.
 */
export function readOrMake(path: string, make: () => string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error
  }
  makeFolder(dirname(path))
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
