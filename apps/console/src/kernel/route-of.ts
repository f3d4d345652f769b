import type { Endpoint } from '@oms/contract/kernel/endpoint.ts'

type Route = Pick<Endpoint, 'method' | 'path'> & Partial<Pick<Endpoint, 'body' | 'done'>>

/**
 * An entry of the contract as a literal, typed by the entry itself. For what is needed at the very start: importing
 * the contract there would pull every schema, and the schema library, into the first download.
 * Whoever uses it holds the literal against its entry in a test.
 */
export const routeOf = <E extends Endpoint>(route: Route) => route as unknown as E
