import { join } from 'node:path'
import type { Plugin } from 'vite'

const CONTRACT = /[\\/](?:packages|@oms)[\\/]contract[\\/]/
const LIGHT = join(import.meta.dirname, '../src/core/api/light-schema.ts')

/**
 * Substitutes a recording replacement for zod in the contract. Lists use the recorded metadata; zod loads with the
 * first form, which builds the zod schemas from the record (`core/api/full-schema.ts`).
 */
export function lightSchemas(): Plugin {
  return {
    name: 'light-schemas',
    enforce: 'pre',
    resolveId(source, importer = '') {
      if (!CONTRACT.test(importer)) return undefined
      return source === 'zod' ? LIGHT : undefined
    },
  }
}
