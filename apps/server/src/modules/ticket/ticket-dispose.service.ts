import type { feedback } from '@oms/contract/feedback.ts'
import { FEEDBACK_CLOSED, FEEDBACK_MESSAGES, FEEDBACK_SUSPENDED } from '@oms/contract/feedback-rows.ts'
import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import { tickets } from '#db/schema/ticket.ts'
import type { Ctx } from '#kernel/context.ts'
import { conflict, invalid, notFound } from '#kernel/problem.ts'
import { RECORD } from '#kernel/tickets/create-ticket.ts'
import { instantOf } from '#kernel/tickets/zone.ts'
import {
  applyStep,
  BIZ,
  type Change,
  demandMine,
  demandUnmerged,
  handlerOf,
  lockTicket,
  nameOf,
  statusName,
} from './ticket-change.ts'
import { visible } from './ticket-rows.ts'

type Input = ParsedOf<typeof feedback.dispose>

/**
 * Handles a ticket. Whoever opened the form from an older version is told instead of overwriting a colleague; without a
 * version, at least whoever waited here while a colleague's change went through.
 */
export async function dispose(ctx: Ctx, input: Input) {
  const { db, user } = ctx
  const [before] = await db
    .select({ rev: tickets.rev })
    .from(tickets)
    .where(and(eq(tickets.id, input.feedbackId), visible(user)))
  if (!before) throw notFound('工单')
  const stored = await lockTicket(ctx, input.feedbackId)
  if (stored.rev !== (input.version ?? before.rev)) throw conflict(FEEDBACK_MESSAGES.clash)
  demandMine(user, stored)
  demandUnmerged(stored)
  const closes = input.status === FEEDBACK_CLOSED
  const change: Change = {
    status: input.status,
    handler: closes ? null : await handlerOf(ctx, input.handlerId!, stored.tenantId),
    ...(input.problemAttr && { problemAttr: input.problemAttr }),
    ...(input.status === FEEDBACK_SUSPENDED && { suspendUntil: futureOf(ctx, input.suspendUntil) }),
  }
  const step = { kind: RECORD.handled, remark: input.remark, responds: true }
  const { version, diff } = await applyStep(ctx, stored, change, step)
  ctx.audit({
    bizType: BIZ,
    bizId: stored.id,
    action: `处理工单 ${stored.feedbackNo}：${statusName(stored.status)} → ${statusName(input.status)}`,
    diff,
  })
  return { version }
}

/** A reminder lies ahead; none is none. */
export function futureOf({ now, kernel }: Ctx, until: string | undefined) {
  if (until === undefined) return null
  if (instantOf(until, kernel.config.timeZone) <= now.getTime())
    throw invalid('提醒时间必须晚于当前时间', 'suspendUntil')
  return until
}

/** Takes a ticket nobody has; the row's lock decides between two who try at once. */
export async function claim(ctx: Ctx, { id }: ParsedOf<typeof feedback.claim>) {
  const { user } = ctx
  const stored = await lockTicket(ctx, id)
  if (stored.handlerId !== null && stored.handlerId !== user.uid)
    throw conflict(`该工单已由${stored.handler || '他人'}处理，请刷新后重试`)
  if (stored.status === FEEDBACK_CLOSED) throw invalid('该工单已关闭，不能认领')
  if (stored.handlerId === user.uid) return { version: stored.rev }
  const change: Change = {
    handler: { uid: user.uid, name: nameOf(user) },
    ...(stored.status === 0 && { status: 1 }),
  }
  const { version, diff } = await applyStep(ctx, stored, change, { kind: RECORD.claimed, responds: true })
  ctx.audit({ bizType: BIZ, bizId: id, action: `认领工单 ${stored.feedbackNo}`, diff })
  return { version }
}
