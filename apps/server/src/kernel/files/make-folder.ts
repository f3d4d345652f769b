import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder an operator named, and those above it. Node's own recursive `mkdir` tries for ever where a file system
 * knows no new folders, as `/proc` does.
 */
export function makeFolder(path: string, mode?: number) {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    const parent = dirname(path)
    if (code !== 'ENOENT' || existsSync(parent)) throw error
    makeFolder(parent, mode)
    mkdirSync(path, { mode })
  }
}
