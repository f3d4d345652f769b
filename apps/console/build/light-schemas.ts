import { join } from 'node:path'
import type { Plugin } from 'vite'

const CONTRACT = /[\\/](?:packages|@oms)[\\/]contract[\\/]/
const LIGHT = join(import.meta.dirname, '../src/kernel/light-schema.ts')
const NO_WORDS = '\0no-words'

/**
 * Gives the contract a stand-in for zod that only records: what lists show of a schema is in it, and zod comes with
 * the first form, which builds the real schemas from the record (`kernel/full-schema.ts`).
 */
export function lightSchemas(): Plugin {
  return {
    name: 'light-schemas',
    enforce: 'pre',
    resolveId(source, importer = '') {
      if (!CONTRACT.test(importer)) return undefined
      if (source === 'zod') return LIGHT
      return source.startsWith('zod/v4/locales/') ? NO_WORDS : undefined
    },
    load: (id) => (id === NO_WORDS ? 'export default () => ({})' : undefined),
  }
}
