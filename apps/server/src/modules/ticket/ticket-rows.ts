import type { FeedbackFilterValues } from '@oms/contract/feedback-input.ts'
import { FEEDBACK_CLOSED } from '@oms/contract/feedback-rows.ts'
import { and, type Column, desc, eq, gte, isNotNull, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import { tenants } from '#db/schema/tenant.ts'
import { tickets } from '#db/schema/ticket.ts'
import type { User } from '#kernel/context.ts'
import { forbidden } from '#kernel/problem.ts'
import { contains, orderOf, within } from '#kernel/query.ts'
import { isOpen, visibleTickets } from '#kernel/tickets/visible-tickets.ts'

export type StoredTicket = typeof tickets.$inferSelect

const PAGES = ['Questions', 'PendingList', 'Equipment', 'StatisticAnalysis'] as const
const OPENERS = ['AfterService:Questions:query', 'AfterService:PendingList:query'] as const

/** Calls open to every session that are meant for the desk: holders of one of its pages. */
export function demandDesk(user: User) {
  if (!PAGES.some((page) => user.can(`AfterService:${page}:list`))) throw forbidden()
}

/** A ticket is opened from the list or from what is pending; either right will do. */
export function demandReader(user: User) {
  if (!OPENERS.some((permission) => user.can(permission))) throw forbidden()
}

export { isOpen, visibleTickets as visible }

/** What waits for this account: not closed, and its own or nobody's. */
export const pendingFor = (uid: number | SQL) => and(isOpen, or(eq(tickets.handlerId, uid), isNull(tickets.handlerId)))

const columns = {
  id: tickets.id,
  feedbackNo: tickets.feedbackNo,
  tenantId: tickets.tenantId,
  account: tickets.account,
  sn: tickets.sn,
  modelName: tickets.modelName,
  typeName: tickets.typeName,
  osVer: tickets.osVer,
  problemType: tickets.problemType,
  content: tickets.content,
  status: tickets.status,
  handlerId: tickets.handlerId,
  handler: tickets.handler,
  priority: tickets.priority,
  source: tickets.source,
  tags: tickets.tags,
  slaState: tickets.slaState,
  slaRespondDue: tickets.slaRespondDue,
  slaSolveDue: tickets.slaSolveDue,
  firstRespondTime: tickets.firstRespondTime,
  suspendUntil: tickets.suspendUntil,
  closeTime: tickets.closeTime,
  reopenCount: tickets.reopenCount,
  satisfaction: tickets.satisfaction,
  mergedIntoId: tickets.mergedIntoId,
  createTime: tickets.createTime,
  updateTime: tickets.updateTime,
  version: tickets.rev,
}

export const ticketColumns = { ...columns, tenantName: sql<string>`coalesce(${tenants.name}, '')`.as('tenant_name') }

/** Tickets as lists show them. */
export const shownTickets = (db: Db) =>
  db.select(ticketColumns).from(tickets).leftJoin(tenants, eq(tenants.id, tickets.tenantId)).$dynamic()

/** The same without the name of the customer: `TICKET_NAMES` says whose it is. */
export const namelessTickets = (db: Db) => db.select(columns).from(tickets).$dynamic()
export const TICKET_NAMES = { tenantName: { id: 'tenantId', kind: 'tenant' } } as const

export type Filters = Partial<FeedbackFilterValues>

const is = (column: Column, value: number | undefined) => (value === undefined ? undefined : eq(column, value))
const flag = (value: 0 | 1 | undefined, yes: SQL, no: SQL) => (value === undefined ? undefined : value === 1 ? yes : no)
const ticked = (part: 'hardware' | 'software' | 'structure', value: string | undefined) =>
  value ? sql`${tickets.problemAttr} @> ${JSON.stringify({ [part]: [value] })}::jsonb` : undefined

/** The part of a filter that is about the ticket's life. */
function lifeMatching(filters: Filters) {
  const { open, unassigned, breached, reopened, responded, merged, rated, minAge, maxAge, weekday, hour } = filters
  return [
    flag(open, isOpen, eq(tickets.status, FEEDBACK_CLOSED)),
    flag(unassigned, isNull(tickets.handlerId), isNotNull(tickets.handlerId)),
    flag(breached, sql`${tickets.slaBreached}`, sql`not ${tickets.slaBreached}`),
    flag(reopened, sql`${tickets.reopenCount} > 0`, eq(tickets.reopenCount, 0)),
    flag(responded, isNotNull(tickets.firstRespondTime), isNull(tickets.firstRespondTime)),
    flag(merged, isNotNull(tickets.mergedIntoId), isNull(tickets.mergedIntoId)),
    flag(rated, isNotNull(tickets.satisfaction), isNull(tickets.satisfaction)),
    minAge === undefined ? undefined : lte(tickets.createTime, sql`now() - make_interval(days => ${minAge}::int)`),
    maxAge === undefined ? undefined : gte(tickets.createTime, sql`now() - make_interval(days => ${maxAge}::int + 1)`),
    weekday === undefined ? undefined : sql`extract(isodow from ${tickets.createTime}) = ${weekday}::int`,
    hour === undefined ? undefined : sql`extract(hour from ${tickets.createTime}) = ${hour}::int`,
  ]
}

/** The tickets a filter means, without regard to who asks: combine it with `visible`. */
export function matching(filters: Filters): SQL | undefined {
  const { keyword, typeId, tag } = filters
  return and(
    keyword
      ? or(
          eq(tickets.feedbackNo, keyword.toUpperCase()),
          contains(tickets.sn, keyword),
          contains(tickets.account, keyword),
        )
      : undefined,
    filters.feedbackNo ? contains(tickets.feedbackNo, filters.feedbackNo) : undefined,
    contains(tickets.account, filters.account),
    contains(tickets.sn, filters.sn),
    contains(tickets.content, filters.content),
    is(tickets.tenantId, filters.tenantId),
    typeId === undefined
      ? undefined
      : sql`${tickets.modelId} in (select id from device_models where type_id = ${typeId}::int)`,
    is(tickets.modelId, filters.modelId),
    is(tickets.verCode, filters.verCode),
    is(tickets.problemType, filters.problemType),
    is(tickets.status, filters.status),
    is(tickets.handlerId, filters.handlerId),
    is(tickets.lastHandlerId, filters.lastHandlerId),
    is(tickets.priority, filters.priority),
    is(tickets.source, filters.source),
    is(tickets.slaState, filters.slaState),
    is(tickets.satisfaction, filters.satisfaction),
    tag ? sql`${tickets.tags} @> array[${tag}]::text[]` : undefined,
    ticked('hardware', filters.hardware),
    ticked('software', filters.software),
    ticked('structure', filters.structure),
    ...lifeMatching(filters),
    ...within(tickets.createTime, filters.beginTime, filters.endTime),
    ...within(tickets.closeTime, filters.closeBegin, filters.closeEnd),
  )
}

const SORTS = {
  createTime: tickets.createTime,
  updateTime: tickets.updateTime,
  priority: tickets.priority,
  status: tickets.status,
}
type Sort = { orderByColumn?: keyof typeof SORTS | undefined; isAsc?: 'asc' | 'desc' | undefined }

export const ticketOrder = (input: Sort) => orderOf(input, SORTS, tickets.id)
/** What is most urgent first, and of that the newest. */
export const pendingOrder = (input: Sort) =>
  orderOf(input, SORTS, tickets.id, [desc(tickets.priority), desc(tickets.id)])
