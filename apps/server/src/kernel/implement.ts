import type { Contract, Endpoint, ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod'
import type { Ctx, PublicCtx } from './context.ts'

/** Answers a download or an event stream: owns the reply from here on. */
export type StreamAnswer = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | unknown

type Answer<E extends Endpoint> = E extends { stream: string } ? StreamAnswer : z.input<E['result']>
type CtxOf<E extends Endpoint> = E['access'] extends 'public' ? PublicCtx : Ctx

export type Handlers<C extends Contract> = {
  readonly [K in keyof C]: (ctx: CtxOf<C[K]>, input: ParsedOf<C[K]>) => Promise<Answer<C[K]>> | Answer<C[K]>
}

export interface ModuleOptions<C extends Contract> {
  /**
   * Entries that must not hold a transaction while they run: uploads, password hashing, streams. They open short ones
   * of their own with `inTransaction`.
   */
  readonly outsideTransaction?: readonly (keyof C & string)[]
}

/** A module is a contract and one service function per entry: a missing or misnamed one does not compile. */
export interface Module<C extends Contract = Contract> {
  readonly contract: C
  readonly handlers: Handlers<C>
  readonly outsideTransaction: ReadonlySet<string>
}

export const implement = <const C extends Contract>(
  contract: C,
  handlers: Handlers<C>,
  options: ModuleOptions<C> = {},
): Module => ({
  contract,
  handlers: handlers as unknown as Handlers<Contract>,
  outsideTransaction: new Set(options.outsideTransaction ?? []),
})
