import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import type { Module } from './implement.ts'

/**
 * Stops the start when an entry is incomplete: every entry must declare who may call it, and every mutation needs a log
 * title.
 */
export function assertEndpointsDeclared(modules: readonly Module[]) {
  const seen = new Set<string>()
  for (const { contract, handlers } of modules)
    for (const [name, endpoint] of Object.entries(contract)) {
      const call = `${endpoint.method} ${endpoint.path}`
      if (!endpoint.access) throw new Error(`${call} does not say who may call it`)
      if (endpoint.access.includes(':') && !ALL_PERMISSIONS.has(endpoint.access))
        throw new Error(`${call} asks for ${endpoint.access}, which is not in the catalogue`)
      if (endpoint.method !== 'GET' && endpoint.log !== false && !endpoint.title)
        throw new Error(`${call} has no title for the operation log`)
      if (!handlers[name]) throw new Error(`${call} has no handler`)
      if (seen.has(call)) throw new Error(`${call} is declared twice`)
      seen.add(call)
    }
}
