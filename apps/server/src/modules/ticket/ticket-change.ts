import { DISPOSE_STATUS, FEEDBACK_CLOSED, FEEDBACK_STATUS, FEEDBACK_SUSPENDED } from '@oms/contract/feedback-rows.ts'
import { and, eq } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { accounts } from '#db/schema/account.ts'
import type { FieldChange } from '#db/schema/system.ts'
import { ticketRecords, tickets } from '#db/schema/ticket.ts'
import type { Ctx, User } from '#kernel/context.ts'
import { changes } from '#kernel/mask.ts'
import { sendMessage } from '#kernel/message.ts'
import { forbidden, invalid, notFound, Problem } from '#kernel/problem.ts'
import { touched } from '#kernel/stale.ts'
import { alive, PLATFORM_TENANT_ID } from '#kernel/tenancy.ts'
import { workingMinutesBetween } from '#kernel/tickets/business-clock.ts'
import { slaOf, slaSettings } from '#kernel/tickets/sla.ts'
import { instantOf } from '#kernel/tickets/zone.ts'
import { type StoredTicket, visible } from './ticket-rows.ts'

export const BIZ = 'ticket'
export const nameOf = ({ realname, account }: { realname: string; account: string }) => realname || account
export const SUBMIT = 'AfterService:Questions:submit'

/** The row to change, locked until the transaction ends; out of reach is as good as missing. */
export async function lockTicket({ db, user }: Pick<Ctx, 'db' | 'user'>, id: number): Promise<StoredTicket> {
  const [found] = await db
    .select()
    .from(tickets)
    .where(and(eq(tickets.id, id), visible(user)))
    .for('update')
  if (!found) throw notFound('工单')
  return found
}

/** May this account handle the ticket: nobody has it, or it does itself. */
export const isMine = (user: Pick<User, 'uid'>, { handlerId }: Pick<StoredTicket, 'handlerId'>) =>
  !handlerId || handlerId === user.uid

export function demandMine(user: User, ticket: StoredTicket) {
  if (!user.can(SUBMIT) || !isMine(user, ticket)) throw forbidden()
}

/** Duplicates live on in the ticket they were merged into. */
export function demandUnmerged(ticket: StoredTicket) {
  if (ticket.mergedIntoId !== null) throw invalid('该工单已合并到其他工单，请在主工单中处理')
}

export interface Handler {
  readonly uid: number
  readonly name: string
}

/** The colleague meant: enabled, and of the vendor or of the customer the ticket belongs to. */
export async function handlerOf(
  { db, user }: Pick<Ctx, 'db' | 'user'>,
  uid: number,
  tenantId: number,
): Promise<Handler> {
  const [found] = await db
    .select({ tenantId: accounts.tenantId, realname: accounts.realname, account: accounts.account })
    .from(accounts)
    .where(and(eq(accounts.uid, uid), eq(accounts.status, 1), alive(accounts)))
  const reachable = [tenantId, PLATFORM_TENANT_ID, user.tenantId]
  if (!found || !reachable.includes(found.tenantId)) throw invalid('处理人员不存在或已停用，请重新选择', 'handlerId')
  return { uid, name: nameOf(found) }
}

/** What a step changes; absent fields stay. */
export interface Change {
  readonly status?: number
  readonly handler?: Handler | null
  readonly priority?: number
  readonly tags?: string[]
  readonly problemAttr?: StoredTicket['problemAttr']
  readonly suspendUntil?: string | null
  readonly mergedIntoId?: number
  readonly satisfaction?: number
  readonly satisfactionRemark?: string
}
interface Step {
  readonly kind: number
  readonly remark?: string
  readonly detail?: string
  /** A person has looked at it: the first answer. */
  readonly responds?: boolean
}

const TITLES = {
  status: '处理状态',
  handler: '处理人员',
  priority: '优先级',
  tags: '标签',
  problemAttr: '问题分类',
  suspendUntil: '提醒时间',
  mergedIntoId: '合并到',
  satisfaction: '满意度',
  satisfactionRemark: '评价内容',
}

/** Applies one step to a locked ticket: fields, life times, limits, record, event. Answers the new version and the diff. */
export async function applyStep(ctx: Ctx, stored: StoredTicket, change: Change, step: Step) {
  const { db, user, now, kernel } = ctx
  const { handler, ...fields } = change
  const next: Partial<StoredTicket> = {
    ...fields,
    ...(handler !== undefined && { handlerId: handler?.uid ?? null, handler: handler?.name ?? '' }),
    ...lifeOf(ctx, stored, change, step),
  }
  const limits = await limitsOf(ctx, stored, { ...stored, ...next })
  await db
    .update(tickets)
    .set({ ...next, ...limits, ...touched(stored, user.uid, now) })
    .where(eq(tickets.id, stored.id))
  await db.insert(ticketRecords).values({
    ticketId: stored.id,
    kind: step.kind,
    uid: user.uid,
    realname: nameOf(user),
    handlerId: next.handlerId === undefined ? stored.handlerId : next.handlerId,
    handler: next.handler ?? stored.handler,
    status: change.status ?? stored.status,
    fromStatus: stored.status,
    remark: step.remark ?? '',
    detail: (step.detail ?? '').slice(0, 500),
    createTime: now.toISOString(),
  })
  await kernel.events.publish(db, 'changed', { resource: 'feedback', tenantId: stored.tenantId })
  if (handler && handler.uid !== stored.handlerId && handler.uid !== user.uid) tellHandler(ctx, stored, handler)
  const version = stored.rev + 1
  return { version, diff: inWords(changes(stored, next, TITLES)) }
}

/** Times that follow from a change of status: answered, closed, reopened, suspended and how long. */
function lifeOf({ now, user }: Ctx, stored: StoredTicket, { status, handler }: Change, { responds }: Step) {
  const at = now.toISOString()
  const moves = status !== undefined && status !== stored.status
  const closes = moves && status === FEEDBACK_CLOSED
  const reopens = moves && stored.status === FEEDBACK_CLOSED
  return {
    ...(responds && stored.firstRespondTime === null && { firstRespondTime: at }),
    ...(handler && { lastHandlerId: handler.uid }),
    ...(closes && { closeTime: at, lastHandlerId: user.uid }),
    ...(reopens && { closeTime: null, reopenCount: stored.reopenCount + 1 }),
    ...(moves && status === FEEDBACK_SUSPENDED && { suspendTime: at }),
    ...(moves && status !== FEEDBACK_SUSPENDED && { suspendTime: null, suspendUntil: null }),
  }
}

/** The limits of the ticket as it will be; time it was suspended is given back. */
async function limitsOf({ db, now, kernel }: Ctx, stored: StoredTicket, next: StoredTicket) {
  const zone = kernel.config.timeZone
  const sla = await slaSettings(db)
  const since = next.status === FEEDBACK_SUSPENDED ? null : stored.suspendTime
  const waited = since === null ? 0 : workingMinutesBetween(sla.calendar, zone, new Date(instantOf(since, zone)), now)
  const pausedMinutes = stored.pausedMinutes + waited
  return { pausedMinutes, ...slaOf(sla, zone, timed({ ...next, pausedMinutes }, zone), now) }
}

/** The ticket as the clock reads it; times are read from the database as the wall shows them. */
export function timed(ticket: Pick<StoredTicket, TimedKey>, zone: string) {
  const at = (text: string | null) =>
    text === null ? null : new Date(text.includes('T') ? text : instantOf(text, zone))
  return {
    status: ticket.status,
    priority: ticket.priority,
    pausedMinutes: ticket.pausedMinutes,
    slaBreached: ticket.slaBreached,
    createTime: at(ticket.createTime)!,
    firstRespondTime: at(ticket.firstRespondTime),
    closeTime: at(ticket.closeTime),
  }
}
type TimedKey =
  | 'status'
  | 'priority'
  | 'pausedMinutes'
  | 'slaBreached'
  | 'createTime'
  | 'firstRespondTime'
  | 'closeTime'

/** Codes of a diff in the words people read. */
const inWords = (diff: FieldChange[]) =>
  diff.map((one) => (one.field === 'status' ? { ...one, from: statusName(one.from), to: statusName(one.to) } : one))
export const statusName = (status: unknown) =>
  ({ ...FEEDBACK_STATUS, ...DISPOSE_STATUS })[status as keyof typeof FEEDBACK_STATUS] ?? ''

/** Outside the transaction: a customer's wall lets nobody write into other inboxes. */
function tellHandler(ctx: Ctx, { feedbackNo, content }: StoredTicket, { uid }: Handler) {
  const { kernel, user } = ctx
  ctx.afterCommit(() =>
    kernel.database.db.transaction((db) =>
      sendMessage(kernel, db, {
        title: `工单 ${feedbackNo} 已分派给您`,
        text: `${nameOf(user)} 将工单分派给您处理：${content.slice(0, 120)}`,
        uids: [uid],
      }),
    ),
  )
}

/** Does something to each ticket for itself: a refused one is reported and stops no other. */
export async function each(ctx: Ctx, ids: readonly number[], work: (ctx: Ctx, stored: StoredTicket) => Promise<void>) {
  const failed: { id: number; name: string; msg: string }[] = []
  const done: StoredTicket[] = []
  // In one order everywhere, so that two batches never wait for each other in a circle.
  for (const id of [...new Set(ids)].sort((a, b) => a - b)) {
    const seen: { name?: string } = {}
    await ctx.db
      .transaction(async (db) => {
        const inner = { ...ctx, db: db as Db }
        const stored = await lockTicket(inner, id)
        seen.name = stored.feedbackNo
        await work(inner, stored)
        done.push(stored)
      })
      .catch((error: unknown) => {
        if (!(error instanceof Problem) || ids.length === 1) throw error
        failed.push({ id, name: seen.name ?? String(id), msg: error.message })
      })
  }
  return { done, failed, report: { done: done.length, failed } }
}

/** The log's row of a batch stands in the history of every ticket it changed. */
export function auditMany(ctx: Ctx, verb: string, done: readonly StoredTicket[]) {
  ctx.audit({
    bizType: BIZ,
    bizIds: done.map(({ id }) => id),
    action: `${verb}工单 ${done.map(({ feedbackNo }) => feedbackNo).join('、')}`.slice(0, 500),
  } as Parameters<Ctx['audit']>[0])
}
