import type { feedback } from '@oms/contract/ticket/ticket.ts'
import {
  FEEDBACK_CLOSED,
  FEEDBACK_PRIORITY,
  FEEDBACK_SUSPENDED,
  MAX_TAGS,
  SATISFACTION,
} from '@oms/contract/ticket/ticket-rows.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import { ticketRecords, tickets } from './schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { conflict, invalid } from '#core/http/api-error.ts'
import { TICKET_RECORD_KIND } from './create-ticket.ts'
import { requireFutureTime } from './ticket-detail.ts'
import {
  applyTicketStep,
  auditTickets,
  TICKET_BIZ_TYPE,
  assertTicketHandler,
  assertNotMerged,
  changeEachTicket,
  isRatedByCustomer,
  requireHandler,
  lockTicket,
  formatAccountName,
} from './ticket-change.ts'
import type { StoredTicket } from './ticket.ts'

const assertTicketOpen = ({ status }: StoredTicket) => {
  if (status === FEEDBACK_CLOSED) throw invalid('该工单已关闭')
}

/** Assigns open tickets to a colleague. A ticket that got another handler than the caller saw fails. */
export async function assignTickets(ctx: Ctx, { ids, handlerId, remark, seen }: ParsedOf<typeof feedback.assign>) {
  const { done, report } = await changeEachTicket(ctx, ids, async (inner, stored) => {
    assertTicketOpen(stored)
    const handler = await requireHandler(inner, handlerId, stored.tenantId)
    if (stored.handlerId === handler.uid) return
    const expected = seen?.[ids.indexOf(stored.id)] ?? (stored.handlerId || 0)
    if (expected !== (stored.handlerId || 0))
      throw conflict(`该工单已改由${stored.handler || '他人'}处理，请刷新后重试`)
    const detail = `处理人员：${stored.handler || '未分派'} → ${handler.name}`
    await applyTicketStep(inner, stored, { handler }, { kind: TICKET_RECORD_KIND.assigned, remark, detail })
  })
  auditTickets(ctx, '分派', done)
  return report
}

export async function suspendTickets(ctx: Ctx, { ids, suspendUntil, remark }: ParsedOf<typeof feedback.suspend>) {
  const until = requireFutureTime(ctx, suspendUntil)
  const { done, report } = await changeEachTicket(ctx, ids, async (inner, stored) => {
    assertTicketHandler(ctx.user, stored)
    assertNotMerged(stored)
    assertTicketOpen(stored)
    const handler = stored.handlerId ? undefined : { uid: ctx.user.uid, name: formatAccountName(ctx.user) }
    const change = { status: FEEDBACK_SUSPENDED, suspendUntil: until, ...(handler && { handler }) }
    await applyTicketStep(inner, stored, change, { kind: TICKET_RECORD_KIND.handled, remark, responds: true })
  })
  auditTickets(ctx, '挂起', done)
  return report
}

export async function closeTickets(ctx: Ctx, { ids, remark }: ParsedOf<typeof feedback.close>) {
  const { done, report } = await changeEachTicket(ctx, ids, async (inner, stored) => {
    assertTicketHandler(ctx.user, stored)
    assertTicketOpen(stored)
    const change = { status: FEEDBACK_CLOSED, handler: null }
    await applyTicketStep(inner, stored, change, { kind: TICKET_RECORD_KIND.handled, remark, responds: true })
  })
  auditTickets(ctx, '关闭', done)
  return report
}

/**
 * Adds a remark of any account that may handle tickets, also of another than the handler. The version of the ticket
 * stays, so that the form of the handler remains valid.
 */
export async function commentOnTicket(ctx: Ctx, { id, remark }: ParsedOf<typeof feedback.comment>) {
  const { db, user, now, services } = ctx
  const stored = await lockTicket(ctx, id)
  await db.insert(ticketRecords).values({
    ticketId: id,
    kind: TICKET_RECORD_KIND.comment,
    uid: user.uid,
    realname: formatAccountName(user),
    status: stored.status,
    remark,
    createTime: now.toISOString(),
  })
  await services.events.publish(db, 'changed', { resource: 'feedback', tenantId: stored.tenantId })
  auditTickets(ctx, '备注', [stored])
  return null
}

export async function setTicketPriority(ctx: Ctx, { ids, priority }: ParsedOf<typeof feedback.priority>) {
  const { done, report } = await changeEachTicket(ctx, ids, async (inner, stored) => {
    if (stored.priority === priority) return
    const name = (value: number) => FEEDBACK_PRIORITY[value as keyof typeof FEEDBACK_PRIORITY] ?? ''
    const detail = `优先级：${name(stored.priority)} → ${name(priority)}`
    await applyTicketStep(inner, stored, { priority }, { kind: TICKET_RECORD_KIND.priority, detail })
  })
  auditTickets(ctx, `优先级改为「${FEEDBACK_PRIORITY[priority]}」：`, done)
  return report
}

export async function changeTicketTags(ctx: Ctx, { ids, tags, mode }: ParsedOf<typeof feedback.tags>) {
  const { done, report } = await changeEachTicket(ctx, ids, async (inner, stored) => {
    const next = mergeTags(stored.tags, tags, mode)
    if (next.length > MAX_TAGS) throw invalid(`标签最多${MAX_TAGS}个`, 'tags')
    if (next.join() === stored.tags.join()) return
    const detail = `标签：${stored.tags.join('、') || '无'} → ${next.join('、') || '无'}`
    await applyTicketStep(inner, stored, { tags: next }, { kind: TICKET_RECORD_KIND.tags, detail })
  })
  auditTickets(ctx, '修改标签：', done)
  return report
}

const mergeTags = (had: string[], given: string[], mode: 'set' | 'add' | 'remove') =>
  mode === 'set' ? given : mode === 'add' ? [...new Set([...had, ...given])] : had.filter((tag) => !given.includes(tag))

/**
 * Closes duplicates and links them to one ticket of the same tenant. Tickets that were merged into the duplicates
 * are linked too.
 */
export async function mergeTickets(ctx: Ctx, { ids, intoId }: ParsedOf<typeof feedback.merge>) {
  const { db } = ctx
  // Locks in the order of ids, so that two crossing merges cannot deadlock.
  const order = [...new Set([...ids, intoId])].sort((a, b) => a - b)
  const locked = new Map<number, StoredTicket>()
  for (const id of order) locked.set(id, await lockTicket(ctx, id))
  const into = locked.get(intoId)!
  if (into.mergedIntoId !== null) throw invalid('目标工单已合并到其他工单，请选择主工单', 'intoId')
  const others = ids.filter((id) => id !== intoId)
  const { done, report } = await changeEachTicket(ctx, others, async (inner, stored) => {
    assertNotMerged(stored)
    if (stored.tenantId !== into.tenantId) throw invalid('不能合并不同客户的工单')
    const change = { status: FEEDBACK_CLOSED, handler: null, mergedIntoId: into.id }
    const detail = `合并到工单 ${into.feedbackNo}`
    await applyTicketStep(inner, stored, change, { kind: TICKET_RECORD_KIND.merged, detail, responds: true })
    await inner.db.update(tickets).set({ mergedIntoId: into.id }).where(eq(tickets.mergedIntoId, stored.id))
  })
  if (done.length > 0) {
    const names = done.map(({ feedbackNo }) => feedbackNo).join('、')
    const all = [...new Set([...into.tags, ...done.flatMap(({ tags }) => tags)])].slice(0, MAX_TAGS)
    await applyTicketStep(
      { ...ctx, db },
      into,
      { tags: all },
      { kind: TICKET_RECORD_KIND.merged, detail: `合并了工单 ${names}` },
    )
  }
  auditTickets(ctx, `合并到 ${into.feedbackNo}：`, [...done, into])
  return report
}

export async function rateTicket(ctx: Ctx, input: ParsedOf<typeof feedback.rate>) {
  const { id, satisfaction, satisfactionRemark } = input
  const stored = await lockTicket(ctx, id)
  if (stored.status !== FEEDBACK_CLOSED) throw invalid('工单关闭后才能记录满意度')
  if (await ctx.db.$count(tickets, and(eq(tickets.id, id), isRatedByCustomer))) throw invalid('客户已评价，不能修改')
  const detail = `满意度：${SATISFACTION[satisfaction]}（${satisfaction}）`
  const step = { kind: TICKET_RECORD_KIND.rated, detail, remark: satisfactionRemark }
  const { version, diff } = await applyTicketStep(ctx, stored, { satisfaction, satisfactionRemark }, step)
  ctx.audit({ bizType: TICKET_BIZ_TYPE, bizId: id, action: `记录工单 ${stored.feedbackNo} 的满意度`, diff })
  return { version }
}
