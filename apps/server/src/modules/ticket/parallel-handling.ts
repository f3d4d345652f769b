import type { feedback } from '@oms/contract/ticket/ticket.ts'
import { FEEDBACK_MESSAGES } from '@oms/contract/ticket/ticket-rows.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { Ctx } from '#core/http/context.ts'
import { conflict } from '#core/http/api-error.ts'
import type { Services } from '#core/services.ts'

type Input = ParsedOf<typeof feedback.dispose>
interface Handling {
  /** `performance.now()` after the commit. */
  readonly committedAt: number
  readonly content: string
}

/** Milliseconds within which a call with the same content from the same account counts as a repetition. */
const REPEAT_MS = 5_000
/** Maximum number of tickets kept in memory. The oldest entry is removed first. */
const MAX_TICKETS = 1_000

const handlings = new WeakMap<Services, Map<number, Handling>>()
const contentOf = ({ user }: Ctx, input: Input) => JSON.stringify([user.uid, input])

/**
 * Refuses a call without a version when another call handled the ticket meanwhile, or when the call repeats the last
 * one. The database cannot detect this, because a call that waited for a connection reads the new revision.
 */
export function assertNotHandledMeanwhile(ctx: Ctx, input: Input) {
  const last = handlings.get(ctx.services)?.get(input.feedbackId)
  if (!last) return
  const isOlder = ctx.request.receivedAt !== undefined && ctx.request.receivedAt < last.committedAt
  const isRepeated = last.content === contentOf(ctx, input) && performance.now() - last.committedAt < REPEAT_MS
  if (isOlder || isRepeated) throw conflict(FEEDBACK_MESSAGES.clash)
}

/** Stores the time and content of a ticket's last handling. Call this function after the commit. */
export function rememberHandling(ctx: Ctx, input: Input) {
  const byTicket = handlings.get(ctx.services) ?? new Map<number, Handling>()
  handlings.set(ctx.services, byTicket)
  byTicket.delete(input.feedbackId)
  byTicket.set(input.feedbackId, { committedAt: performance.now(), content: contentOf(ctx, input) })
  const oldest = byTicket.size > MAX_TICKETS ? byTicket.keys().next().value : undefined
  if (oldest !== undefined) byTicket.delete(oldest)
}
