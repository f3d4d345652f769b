import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the path of the key file next to the bundle. The stored key saves the first start from loading half the
 * program to compute it.
 */
const pathOf = (folder = import.meta.dirname) => join(folder, 'template-key')

export function readStoredTemplateKey(): string | undefined {
  try {
    return readFileSync(pathOf(), 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

/** Stores the key for a bundle only. Next to source files, the key would be wrong after the next edit. */
export function storeKey(key: string) {
  if (import.meta.filename.endsWith('.mjs')) writeFileSync(pathOf(), key)
}
