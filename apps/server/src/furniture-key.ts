import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Beside the bundle, and as old as it: the first start need not load half the program to work it out. */
const pathOf = (folder = import.meta.dirname) => join(folder, 'furniture-key')

export function keptKey(): string | undefined {
  try {
    return readFileSync(pathOf(), 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

/** Of a bundle only: beside sources it would be wrong with the next edit. */
export function keepKey(key: string) {
  if (import.meta.filename.endsWith('.mjs')) writeFileSync(pathOf(), key)
}
