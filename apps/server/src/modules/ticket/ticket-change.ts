import { feedback } from '@oms/contract/ticket/ticket.ts'
import {
  TICKET_HANDLING_STATUS,
  FEEDBACK_CLOSED,
  FEEDBACK_STATUS,
  FEEDBACK_SUSPENDED,
} from '@oms/contract/ticket/ticket-rows.ts'
import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { loadRights } from '#core/auth/rights.ts'
import { accounts } from '#core/schema/account.ts'
import type { FieldChange } from '#core/schema/system.ts'
import { tenants } from '#core/schema/tenant.ts'
import { ticketRecords, tickets } from './schema.ts'
import { TICKET_RECORD_KIND } from './create-ticket.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { isTenantActive } from '#core/tenancy/tenant-state.ts'
import { listChanges } from '#core/audit/mask.ts'
import { publishOutboxEvent } from '#modules/integration/index.ts'
import { sendMessage } from '#modules/system/index.ts'
import { forbidden, invalid, notFound, ApiError } from '#core/http/api-error.ts'
import { updateColumns } from '#core/database/optimistic-lock.ts'
import { notDeleted, PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import { countWorkingMinutes } from './business-clock.ts'
import { computeSla, readSlaSettings } from './sla.ts'
import { parseLocalTime } from '#core/time/zone.ts'
import { type StoredTicket, visibleTickets } from './ticket.ts'

export const TICKET_BIZ_TYPE = 'ticket'
export const formatAccountName = ({ realname, account }: { realname: string; account: string }) => realname || account
export const HANDLE_PERMISSION = 'AfterService:Questions:submit'

/** Throws unless the account sees the ticket. */
export async function requireTicket({ db, user }: Pick<Ctx, 'db' | 'user'>, id: number) {
  const [found] = await db
    .select({ feedbackNo: tickets.feedbackNo, rev: tickets.rev })
    .from(tickets)
    .where(and(eq(tickets.id, id), visibleTickets(user)))
  if (!found) throw notFound('工单')
  return found
}

/** Returns the ticket, locked until the transaction ends. An invisible ticket is reported as not found. */
export async function lockTicket({ db, user }: Pick<Ctx, 'db' | 'user'>, id: number): Promise<StoredTicket> {
  const [found] = await db
    .select()
    .from(tickets)
    .where(and(eq(tickets.id, id), visibleTickets(user)))
    .for('update')
  if (!found) throw notFound('工单')
  return found
}

/** True when the account may handle the ticket: the ticket has no handler or this handler. */
export const canHandleTicket = (user: Pick<User, 'uid'>, { handlerId }: Pick<StoredTicket, 'handlerId'>) =>
  !handlerId || handlerId === user.uid

export function assertTicketHandler(user: User, ticket: StoredTicket) {
  if (!user.can(HANDLE_PERMISSION) || !canHandleTicket(user, ticket)) throw forbidden()
}

/** Throws for a merged duplicate, which is handled in the main ticket. */
export function assertNotMerged(ticket: StoredTicket) {
  if (ticket.mergedIntoId !== null) throw invalid('该工单已合并到其他工单，请在主工单中处理')
}

export interface TicketHandler {
  readonly uid: number
  readonly name: string
}

/**
 * Returns the new handler: an enabled account of the vendor whose data scope contains the ticket's tenant, or an account
 * of that tenant while the tenant is active. The account must hold the permission to handle tickets; otherwise nobody
 * could continue the ticket.
 */
export async function requireHandler(
  { db, user, services }: Pick<Ctx, 'db' | 'user' | 'services'>,
  uid: number,
  tenantId: number,
): Promise<TicketHandler> {
  const [found] = await db
    .select({ tenantId: accounts.tenantId, realname: accounts.realname, account: accounts.account })
    .from(accounts)
    .innerJoin(tenants, eq(tenants.id, accounts.tenantId))
    .where(and(eq(accounts.uid, uid), eq(accounts.status, 1), notDeleted(accounts), isTenantActive()))
  const reachable = [tenantId, PLATFORM_TENANT_ID, user.tenantId]
  if (!found || !reachable.includes(found.tenantId)) throw invalid('处理人员不存在或已停用，请重新选择', 'handlerId')
  // The sessions do not see an account that the present transaction created.
  const rights = (await services.sessions.rightsOf(uid)) ?? (await loadRights(db, uid))
  if (!rights?.isSuper && !rights?.permissions.has(feedback.dispose.access))
    throw invalid('该处理人员没有处理工单的权限，请重新选择', 'handlerId')
  const { scope } = rights
  if (scope.tenants !== 'all' && !scope.tenants.includes(tenantId))
    throw invalid('该处理人员的数据范围不包含工单所属客户，请重新选择', 'handlerId')
  return { uid, name: formatAccountName(found) }
}

/** True for tickets that the customer rated since the last closing. Ratings of staff have an account. */
export const isRatedByCustomer = sql<boolean>`exists (select from ticket_records r where r.ticket_id = ${tickets.id}
  and r.kind = ${TICKET_RECORD_KIND.rated} and r.uid is null and r.create_time >= ${tickets.closeTime})`

/** Changes of a step. Absent fields stay unchanged. */
export interface TicketChange {
  readonly status?: number
  readonly handler?: TicketHandler | null
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
  /** True when the step counts as the first reply. */
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

/**
 * Applies one step to a locked ticket: fields, times, limits, record and event. Returns the new version and the
 * differences.
 */
export async function applyTicketStep(ctx: Ctx, stored: StoredTicket, change: TicketChange, step: Step) {
  const { db, user, now, services } = ctx
  const { handler, ...fields } = change
  const next: Partial<StoredTicket> = {
    ...fields,
    ...(handler !== undefined && { handlerId: handler?.uid ?? null, handler: handler?.name ?? '' }),
    ...lifeOf(ctx, stored, change, step),
  }
  const limits = await limitsOf(ctx, stored, { ...stored, ...next })
  await db
    .update(tickets)
    .set({ ...next, ...limits, ...updateColumns(stored, user.uid, now) })
    .where(eq(tickets.id, stored.id))
  await db.insert(ticketRecords).values({
    ticketId: stored.id,
    kind: step.kind,
    uid: user.uid,
    realname: formatAccountName(user),
    handlerId: next.handlerId === undefined ? stored.handlerId : next.handlerId,
    handler: next.handler ?? stored.handler,
    status: change.status ?? stored.status,
    fromStatus: stored.status,
    remark: step.remark ?? '',
    detail: (step.detail ?? '').slice(0, 500),
    createTime: now.toISOString(),
  })
  await services.events.publish(db, 'changed', { resource: 'feedback', tenantId: stored.tenantId })
  if (change.status !== undefined && change.status !== stored.status) await publishStatus(ctx, stored, change.status)
  if (handler && handler.uid !== stored.handlerId && handler.uid !== user.uid) notifyHandler(ctx, stored, handler)
  const version = stored.rev + 1
  return { version, diff: inWords(listChanges(stored, next, TITLES)) }
}

async function publishStatus({ db, services }: Ctx, stored: StoredTicket, status: number) {
  const { id, feedbackNo, priority, sn, tenantId, status: fromStatus } = stored
  const type =
    status === FEEDBACK_CLOSED
      ? 'ticket.closed'
      : fromStatus === FEEDBACK_CLOSED
        ? 'ticket.reopened'
        : 'ticket.status_changed'
  const data = { id, feedbackNo, status, fromStatus, priority, sn }
  await publishOutboxEvent(services, db, { type, tenantId, data })
}

/** Returns the times that change with the status: replied, closed, reopened, and the suspended duration. */
function lifeOf({ now, user }: Ctx, stored: StoredTicket, { status, handler }: TicketChange, { responds }: Step) {
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

/** Calculates the limits of the changed ticket. Suspended time extends the limits. */
async function limitsOf({ db, now, services }: Ctx, stored: StoredTicket, next: StoredTicket) {
  const zone = services.config.timeZone
  const sla = await readSlaSettings(db)
  const since = next.status === FEEDBACK_SUSPENDED ? null : stored.suspendTime
  const waited =
    since === null ? 0 : countWorkingMinutes(sla.calendar, zone, new Date(parseLocalTime(since, zone)), now)
  const pausedMinutes = stored.pausedMinutes + waited
  return { pausedMinutes, ...computeSla(sla, zone, toSlaFacts({ ...next, pausedMinutes }, zone), now) }
}

/** Returns the ticket's fields for the SLA calculation. Converts database times in the local time zone. */
export function toSlaFacts(ticket: Pick<StoredTicket, TimedKey>, zone: string) {
  const at = (text: string | null) =>
    text === null ? null : new Date(text.includes('T') ? text : parseLocalTime(text, zone))
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

/** Replaces the status codes in the differences with their names. */
const inWords = (diff: FieldChange[]) =>
  diff.map((one) =>
    one.field === 'status' ? { ...one, from: formatTicketStatus(one.from), to: formatTicketStatus(one.to) } : one,
  )
export const formatTicketStatus = (status: unknown) =>
  ({ ...FEEDBACK_STATUS, ...TICKET_HANDLING_STATUS })[status as keyof typeof FEEDBACK_STATUS] ?? ''

/**
 * Notifies the handler outside the transaction, because row-level security prevents writing to inboxes of other
 * tenants.
 */
function notifyHandler(ctx: Ctx, { feedbackNo, content }: StoredTicket, { uid }: TicketHandler) {
  const { services, user } = ctx
  ctx.afterCommit(() =>
    services.database.db.transaction((db) =>
      sendMessage(services, db, {
        topic: 'ticket',
        title: `工单 ${feedbackNo} 已分派给您`,
        text: `${formatAccountName(user)} 将工单分派给您处理：${content.slice(0, 120)}`,
        uids: [uid],
      }),
    ),
  )
}

/** Applies the work to each ticket in its own transaction. Reports a refused ticket and continues. */
export async function changeEachTicket(
  ctx: Ctx,
  ids: readonly number[],
  work: (ctx: Ctx, stored: StoredTicket) => Promise<void>,
) {
  const failed: { id: number; name: string; msg: string }[] = []
  const done: StoredTicket[] = []
  // Processes tickets in the order of their ids, so that two batches cannot deadlock.
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
        if (!(error instanceof ApiError) || ids.length === 1) throw error
        failed.push({ id, name: seen.name ?? String(id), msg: error.message })
      })
  }
  return { done, failed, report: { done: done.length, failed } }
}

/** Adds an entry to the history of every changed ticket of a batch. The entry names only that ticket. */
export const auditTickets = (ctx: Ctx, verb: string, done: readonly StoredTicket[]) =>
  ctx.audit({
    bizType: TICKET_BIZ_TYPE,
    action: `${verb}工单`,
    records: done.map(({ id, feedbackNo }) => ({ id, action: `${verb}工单 ${feedbackNo}` })),
  })
