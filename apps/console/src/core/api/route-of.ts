import type { Endpoint } from '@oms/contract/core/endpoint.ts'

type Route = Pick<Endpoint, 'method' | 'path'> & Partial<Pick<Endpoint, 'body' | 'done'>>

/**
 * Declares a contract entry as a literal for code of the first download. Importing the contract would include all
 * schemas and the schema library. A test must compare each literal with its contract entry.
 */
export const declareRoute = <E extends Endpoint>(route: Route) => route as unknown as E
