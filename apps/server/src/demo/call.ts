import { type Actor, type LoggedAction, runAsActor } from '#core/auth/system-actor.ts'
import type { Db } from '#core/database/client.ts'
import type { Ctx } from '#core/http/context.ts'
import type { Services } from '#core/services.ts'

export const DAY_MS = 24 * 60 * 60 * 1000

/** The services inside the transaction of the fill, the transaction, and the demo account. */
export interface Demo {
  readonly services: Services
  readonly db: Db
  readonly actor: Actor
}

/** Runs the service of a call as an account, with its row in the operation log. `days`: days since the call. */
export const runCall = <I, T>(
  { services, actor }: Pick<Demo, 'services' | 'actor'>,
  what: LoggedAction & { readonly outside?: true },
  input: I,
  work: (ctx: Ctx, input: I) => Promise<T>,
  days = 0,
): Promise<T> => runAsActor(daysAgo(services, days), actor, { ...what, input }, (ctx) => work(ctx, input))

/** Returns the services with the clock set back by some days. */
export function daysAgo(services: Services, days: number): Services {
  const at = new Date(services.now().getTime() - days * DAY_MS)
  return { ...services, now: () => at }
}
