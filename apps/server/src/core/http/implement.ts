import type { Contract, Endpoint, ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod'
import type { Ctx, PublicCtx } from './context.ts'
import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'

/** Handler of a download or an event stream. The handler sends the whole response itself. */
export type StreamResponse = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | unknown

type HandlerResult<E extends Endpoint> = E extends { stream: string } ? StreamResponse : z.input<E['result']>
type CtxOf<E extends Endpoint> = E['access'] extends 'public' ? PublicCtx : Ctx

type Handlers<C extends Contract> = {
  readonly [K in keyof C]: (
    ctx: CtxOf<C[K]>,
    input: ParsedOf<C[K]>,
  ) => Promise<HandlerResult<C[K]>> | HandlerResult<C[K]>
}

interface ModuleOptions<C extends Contract> {
  /**
   * Entries that run outside a transaction because they are slow: uploads, password hashing, streams. They open short
   * transactions with `inTransaction`.
   */
  readonly outsideTransaction?: readonly (keyof C & string)[]
  /** Runs the named entries through `run`, which limits simultaneous calls before they take a database connection. */
  readonly limit?: { readonly entries: readonly (keyof C & string)[]; readonly run: LimitCalls }
}

type LimitCalls = <T>(task: () => Promise<T>) => Promise<T>

/**
 * Returns the handler of a function that serves several contracts. `facts` holds the values that differ between them.
 */
export const bindHandler =
  <F, I, R>(facts: F, serve: (ctx: Ctx, facts: F, input: I) => R) =>
  (ctx: Ctx, input: I) =>
    serve(ctx, facts, input)

/** A contract with one service function per entry. A missing or misnamed function is a compile error. */
export interface Module<C extends Contract = Contract> {
  readonly contract: C
  readonly handlers: Handlers<C>
  readonly outsideTransaction: ReadonlySet<string>
  /** Limits of simultaneous calls by entry. */
  readonly limits: ReadonlyMap<string, LimitCalls>
}

export const implement = <const C extends Contract>(
  contract: C,
  handlers: Handlers<C>,
  options: ModuleOptions<C> = {},
): Module => ({
  contract,
  handlers: handlers as unknown as Handlers<Contract>,
  outsideTransaction: new Set(options.outsideTransaction ?? []),
  limits: new Map((options.limit?.entries ?? []).map((name) => [name, options.limit!.run])),
})

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
