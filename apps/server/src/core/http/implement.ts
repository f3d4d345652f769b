import type { Contract, Endpoint, ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod'
import type { Ctx, PublicCtx } from './context.ts'

/** Handler of a download or an event stream. The handler sends the whole response itself. */
export type StreamResponse = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | unknown

type HandlerResult<E extends Endpoint> = E extends { stream: string } ? StreamResponse : z.input<E['result']>
type CtxOf<E extends Endpoint> = E['access'] extends 'public' ? PublicCtx : Ctx

export type Handlers<C extends Contract> = {
  readonly [K in keyof C]: (
    ctx: CtxOf<C[K]>,
    input: ParsedOf<C[K]>,
  ) => Promise<HandlerResult<C[K]>> | HandlerResult<C[K]>
}

export interface ModuleOptions<C extends Contract> {
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
