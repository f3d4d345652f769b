import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder from the configuration with its parents. Node's recursive `mkdir` loops for ever on file systems
 * that refuse new folders, such as `/proc`.
 */
export function makeDirectory(path: string, mode?: number) {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    const parent = dirname(path)
    if (code !== 'ENOENT' || existsSync(parent)) throw error
    makeDirectory(parent, mode)
    mkdirSync(path, { mode })
  }
}
