import { FEEDBACK_CLOSED, TICKET_OPENERS, FeedbackRow } from '@oms/contract/ticket/ticket-rows.ts'
import { and, eq, isNull, ne, or, type SQL, sql, type Column, desc, gte, isNotNull, lte } from 'drizzle-orm'
import { tickets } from './schema.ts'
import { devices } from '#modules/device/schema.ts'
import { blocksDeviceDeletion } from '#modules/device/device-references.ts'
import type { User, Ctx } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'
import type { FeedbackFilterValues } from '@oms/contract/ticket/ticket-input.ts'
import type { Db } from '#core/database/client.ts'
import { tenants } from '#core/schema/tenant.ts'
import { forbidden } from '#core/http/api-error.ts'
import { among, contains, buildSort, within } from '#core/database/lists/list-query.ts'
import { feedback } from '@oms/contract/ticket/ticket.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { paginateLarge } from '#core/database/lists/prepared-list.ts'
import { defineExport } from '#core/spreadsheet/export.ts'

export const isTicketOpen = ne(tickets.status, sql.raw(String(FEEDBACK_CLOSED)))

/**
 * Returns the condition for visible tickets: those of visible tenants. With scope "own records": tickets that the
 * account created or handles, and unassigned tickets.
 */
export function visibleTickets(user: User): SQL | undefined {
  const own = user.scope.ownOnly
    ? or(
        eq(tickets.createBy, user.uid),
        eq(tickets.handlerId, user.uid),
        eq(tickets.lastHandlerId, user.uid),
        and(isNull(tickets.handlerId), isTicketOpen),
      )
    : undefined
  return and(scoped(user, { tenant: tickets.tenantId }), own)
}

export type StoredTicket = typeof tickets.$inferSelect

const PAGES = ['Questions', 'PendingList', 'Equipment', 'StatisticAnalysis'] as const

/**
 * Throws unless the account has the list permission of a page of the service desk. Used by calls that are open to every
 * session.
 */
export function assertDeskPermission(user: User) {
  if (!PAGES.some((page) => user.can(`AfterService:${page}:list`))) throw forbidden()
}

/** Throws unless the account may read the ticket list or the pending list. Both pages open a ticket. */
export function assertTicketReader(user: User) {
  if (!TICKET_OPENERS.some((permission) => user.can(permission))) throw forbidden()
}

/** Returns the condition for the account's pending tickets: open, and its own or unassigned. */
const isPendingFor = (uid: number | SQL) => and(isTicketOpen, or(eq(tickets.handlerId, uid), isNull(tickets.handlerId)))

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

/** Selects tickets with the columns of the lists. */
const selectTickets = (db: Db) =>
  db.select(ticketColumns).from(tickets).leftJoin(tenants, eq(tenants.id, tickets.tenantId)).$dynamic()

/** Selects tickets without the tenant's name. `TICKET_NAMES` adds the name. */
const selectTicketsWithoutNames = (db: Db) => db.select(columns).from(tickets).$dynamic()
const TICKET_NAMES = { tenantName: { id: 'tenantId', kind: 'tenant' } } as const

type TicketFilters = Partial<FeedbackFilterValues>

const is = (column: Column, value: number | undefined) => (value === undefined ? undefined : eq(column, value))
const flag = (value: 0 | 1 | undefined, yes: SQL, no: SQL) => (value === undefined ? undefined : value === 1 ? yes : no)
const ticked = (part: 'hardware' | 'software' | 'structure', value: string | undefined) =>
  value ? sql`${tickets.problemAttr} @> ${JSON.stringify({ [part]: [value] })}::jsonb` : undefined

/** Returns the condition for the filters on status, times and limits. */
function lifeMatching(filters: TicketFilters) {
  const { open, unassigned, breached, reopened, responded, merged, rated, minAge, maxAge, weekday, hour } = filters
  return [
    flag(open, isTicketOpen, eq(tickets.status, FEEDBACK_CLOSED)),
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

/** Minimum number of digits for a search by telephone number. Fewer digits would match most numbers. */
const MIN_PHONE_DIGITS = 4

/** Compares telephone numbers by their digits, because people write them with spaces, hyphens and brackets. */
function contactMatching(keyword: string) {
  const digits = keyword.replaceAll(/[\s()+-]/g, '')
  if (digits.length < MIN_PHONE_DIGITS || /\D/.test(digits)) return contains(tickets.contact, keyword)
  return sql`regexp_replace(${tickets.contact}, '[^0-9]', '', 'g') like ${`%${digits}%`}`
}

/**
 * Returns the condition for the tickets that a filter matches, independent of the account: combine with `visible`.
 */
function buildTicketFilter(filters: TicketFilters): SQL | undefined {
  const { keyword, typeId, tag } = filters
  return and(
    keyword
      ? or(
          contains(tickets.feedbackNo, keyword),
          contains(tickets.sn, keyword),
          contains(tickets.account, keyword),
          contactMatching(keyword),
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
    filters.verCode === 0 ? sql`coalesce(${tickets.verCode}, 0) = 0` : is(tickets.verCode, filters.verCode),
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

const buildTicketSort = (input: Sort) => buildSort(input, SORTS, tickets.id)
/** Sorts by urgency, then newest first. */
const buildPendingTicketSort = (input: Sort) =>
  buildSort(input, SORTS, tickets.id, [desc(tickets.priority), desc(tickets.id)])

type Input = ParsedOf<typeof feedback.page>

const EXACT: Readonly<Record<string, Column>> = {
  status: tickets.status,
  problemType: tickets.problemType,
  priority: tickets.priority,
  modelId: tickets.modelId,
  tenantId: tickets.tenantId,
  handlerId: tickets.handlerId,
}

interface Kind {
  readonly name: string
  readonly order: SQL[]
  /** Condition in addition to the filter. The prepared statement reads the account from the placeholder `me`. */
  readonly also: (me: number | SQL) => SQL | undefined
}

const pageOfKind = (ctx: Ctx, input: Input, { name, order, also }: Kind) =>
  paginateLarge(ctx, input, {
    name: `ticket ${name}`,
    key: tickets.id,
    exact: EXACT,
    order,
    select: () => selectTickets(ctx.db),
    where: () => and(visibleTickets(ctx.user), also(ctx.user.uid), buildTicketFilter(input)),
    prepared: {
      where: also(sql`${sql.placeholder('me')}`),
      values: { me: ctx.user.uid },
      select: () => selectTicketsWithoutNames(ctx.db),
      names: TICKET_NAMES,
    },
  })

export const listTickets = (ctx: Ctx, input: Input) =>
  pageOfKind(ctx, input, { name: 'all', order: buildTicketSort(input), also: () => undefined })

export const listPendingTickets = (ctx: Ctx, input: Input) =>
  pageOfKind(ctx, input, { name: 'pending', order: buildPendingTicketSort(input), also: isPendingFor })

const time = { type: 'dateTime', width: 20 } as const

/** Exports the filtered list in the order of the list. */
export const exportTickets = defineExport({
  kind: 'ticket',
  endpoint: feedback.export,
  sheet: '售后工单',
  schema: FeedbackRow,
  columns: [
    'feedbackNo',
    'status',
    'priority',
    'problemType',
    ['content', { width: 50 }],
    'handler',
    'slaState',
    'tenantName',
    'account',
    'sn',
    'typeName',
    'modelName',
    'osVer',
    'tags',
    'source',
    ['createTime', time],
    ['firstRespondTime', time],
    ['closeTime', time],
    ['slaRespondDue', time],
    ['slaSolveDue', time],
    ['reopenCount', { type: 'number' }],
    'satisfaction',
    ['updateTime', time],
  ],
  key: tickets.id,
  where: (user, input) => and(visibleTickets(user), buildTicketFilter(input)),
  order: buildTicketSort,
  load: (db, _user, where) => selectTickets(db).where(where),
  keyOf: ({ id }) => id,
})

blocksDeviceDeletion('未关闭的工单', (db, deviceIds) =>
  db
    .select({ deviceId: devices.id, n: sql<number>`count(*)::int` })
    .from(devices)
    .innerJoin(tickets, and(eq(tickets.sn, devices.sn), ne(tickets.sn, ''), isTicketOpen))
    .where(among(devices.id, deviceIds))
    .groupBy(devices.id),
)
