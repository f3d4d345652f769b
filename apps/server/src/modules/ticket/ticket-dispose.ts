import type { feedback } from '@oms/contract/ticket/ticket.ts'
import { FEEDBACK_CLOSED, FEEDBACK_MESSAGES, FEEDBACK_SUSPENDED } from '@oms/contract/ticket/ticket-rows.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, desc, eq, gte, or, sql } from 'drizzle-orm'
import { ticketRecords, tickets } from './schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { describeMissingRevision } from '#core/database/optimistic-lock.ts'
import { conflict, invalid, notFound } from '#core/http/api-error.ts'
import { TICKET_RECORD_KIND } from './create-ticket.ts'
import { parseLocalTime } from '#core/time/zone.ts'
import {
  applyTicketStep,
  TICKET_BIZ_TYPE,
  type TicketChange,
  assertTicketHandler,
  assertNotMerged,
  requireHandler,
  lockTicket,
  formatAccountName,
  formatTicketStatus,
} from './ticket-change.ts'
import { visibleTickets } from './ticket-rows.ts'

type Input = ParsedOf<typeof feedback.dispose>

/** Milliseconds within which a call with the same content from the same account counts as a repetition. */
const REPEAT_MS = 5_000

/**
 * Processes a ticket. Refuses a call with an older version, and the second of two simultaneous calls without a version.
 */
export async function handleTicket(ctx: Ctx, input: Input) {
  const { db, user } = ctx
  const [before] = await db
    .select({ rev: tickets.rev })
    .from(tickets)
    .where(and(eq(tickets.id, input.feedbackId), visibleTickets(user)))
  if (!before) throw notFound('工单')
  const stored = await lockTicket(ctx, input.feedbackId)
  if (stored.rev !== (input.version ?? before.rev)) throw conflict(FEEDBACK_MESSAGES.clash)
  if (input.version === undefined) await assertNotHandledMeanwhile(ctx, input)
  assertTicketHandler(user, stored)
  assertNotMerged(stored)
  const closes = input.status === FEEDBACK_CLOSED
  const change: TicketChange = {
    status: input.status,
    handler: closes ? null : await requireHandler(ctx, input.handlerId!, stored.tenantId),
    ...(input.problemAttr && { problemAttr: input.problemAttr }),
    ...(input.status === FEEDBACK_SUSPENDED && { suspendUntil: requireFutureTime(ctx, input.suspendUntil) }),
  }
  const step = { kind: TICKET_RECORD_KIND.handled, remark: input.remark, responds: true }
  const { version, diff } = await applyTicketStep(ctx, stored, change, step)
  const steps = `${formatTicketStatus(stored.status)} → ${formatTicketStatus(input.status)}`
  ctx.audit({
    bizType: TICKET_BIZ_TYPE,
    bizId: stored.id,
    action: `处理工单 ${stored.feedbackNo}：${steps}${describeMissingRevision(input.version)}`,
    diff,
  })
  return { version }
}

/**
 * Refuses a call without a version when another call handled the ticket meanwhile, or when the call repeats the last
 * handling. The revision does not show this, because a call that waited for a connection reads the new revision.
 */
async function assertNotHandledMeanwhile({ db, user, now, request }: Ctx, input: Input) {
  const last = db
    .select()
    .from(ticketRecords)
    .where(and(eq(ticketRecords.ticketId, input.feedbackId), eq(ticketRecords.kind, TICKET_RECORD_KIND.handled)))
    .orderBy(desc(ticketRecords.id))
    .limit(1)
    .as('last')
  const handlerId = input.status === FEEDBACK_CLOSED ? null : input.handlerId
  const isRepeated = and(
    eq(last.uid, user.uid),
    eq(last.status, input.status),
    eq(last.remark, input.remark),
    sql`${last.handlerId} is not distinct from ${handlerId}`,
    gte(last.createTime, new Date(now.getTime() - REPEAT_MS).toISOString()),
  )
  const isNewer = request.receivedAt && gte(last.createTime, request.receivedAt.toISOString())
  const [found] = await db.select({ id: last.id }).from(last).where(or(isRepeated, isNewer))
  if (found) throw conflict(FEEDBACK_MESSAGES.clash)
}

/** Returns the reminder time, which must be in the future; undefined without a reminder. */
export function requireFutureTime({ now, services }: Ctx, until: string | undefined) {
  if (until === undefined) return null
  if (parseLocalTime(until, services.config.timeZone) <= now.getTime())
    throw invalid('提醒时间必须晚于当前时间', 'suspendUntil')
  return until
}

/** Assigns an unassigned ticket to the caller. The row lock decides between simultaneous claims. */
export async function claimTicket(ctx: Ctx, { id }: ParsedOf<typeof feedback.claim>) {
  const { user } = ctx
  const stored = await lockTicket(ctx, id)
  if (stored.handlerId !== null && stored.handlerId !== user.uid)
    throw conflict(`该工单已由${stored.handler || '他人'}处理，请刷新后重试`)
  if (stored.status === FEEDBACK_CLOSED) throw invalid('该工单已关闭，不能认领')
  if (stored.handlerId === user.uid) return { version: stored.rev }
  const change: TicketChange = {
    handler: { uid: user.uid, name: formatAccountName(user) },
    ...(stored.status === 0 && { status: 1 }),
  }
  const { version, diff } = await applyTicketStep(ctx, stored, change, {
    kind: TICKET_RECORD_KIND.claimed,
    responds: true,
  })
  ctx.audit({ bizType: TICKET_BIZ_TYPE, bizId: id, action: `认领工单 ${stored.feedbackNo}`, diff })
  return { version }
}
