import type { feedback } from '@oms/contract/ticket/ticket.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, type Column, eq, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { tickets } from '#schema/ticket.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { paginate } from '#core/database/list-query.ts'
import { hasRowSecurity } from '#core/tenancy/tenancy.ts'
import {
  isOpen,
  conditionsOf,
  namelessTickets,
  pendingFor,
  pendingOrder,
  selectTickets,
  TICKET_NAMES,
  ticketOrder,
  visible,
} from './ticket-rows.ts'

type Input = ParsedOf<typeof feedback.page>

/** Filters that a prepared statement supports. */
const HOT: Readonly<Record<string, Column>> = {
  status: tickets.status,
  problemType: tickets.problemType,
  priority: tickets.priority,
  modelId: tickets.modelId,
  tenantId: tickets.tenantId,
  handlerId: tickets.handlerId,
}

const filtersOf = ({ pageNum: _n, pageSize: _s, orderByColumn: _o, isAsc: _a, ...filters }: Input) =>
  Object.entries(filters).filter(([, value]) => value !== undefined)

/** True when the account sees all tickets and uses only filters of the prepared statements. */
const isHot = (user: User, set: readonly [string, unknown][]): boolean =>
  user.scope.tenants === 'all' && !user.scope.ownOnly && set.every(([key]) => key in HOT) && !hasRowSecurity(user)

interface Kind {
  readonly name: string
  readonly order: SQL[]
  /** Condition in addition to the filter. The prepared statement reads the account from the placeholder `me`. */
  readonly also: (me: number | SQL) => SQL | undefined
}

async function pageOfKind({ db, user, services }: Ctx, input: Input, { name, order, also }: Kind) {
  const { uid } = user
  const set = filtersOf(input)
  if (!isHot(user, set)) {
    const rows = selectTickets(db).where(and(visible(user), also(uid), conditionsOf(input)))
    return paginate(db, rows, input, order)
  }
  const shape = ['ticket', name, ...set.map(([key]) => key), input.orderByColumn, input.isAsc].join(' ')
  const query = () => ({
    select: () => namelessTickets(db),
    key: tickets.id,
    where: and(also(sql`${sql.placeholder('me')}`), ...set.map(([key]) => eq(HOT[key]!, sql.placeholder(key)))),
    order,
    names: TICKET_NAMES,
  })
  return services.lists.page(shape, query, { ...Object.fromEntries(set), me: uid }, input)
}

export const page = (ctx: Ctx, input: Input) =>
  pageOfKind(ctx, input, { name: 'all', order: ticketOrder(input), also: () => undefined })

export async function pending(ctx: Ctx, input: Input) {
  const found = await pageOfKind(ctx, input, { name: 'pending', order: pendingOrder(input), also: pendingFor })
  return { ...found, counts: await countsOf(ctx.db, ctx.user) }
}

/** Counts open tickets for the tiles above the pending list. */
async function countsOf(db: Db, user: User) {
  const mine = sql`${tickets.handlerId} = ${user.uid}`
  const count = (condition: SQL) => sql<number>`(count(*) filter (where ${condition}))::int`
  const [row] = await db
    .select({
      mine: count(mine),
      unassigned: count(sql`${tickets.handlerId} is null`),
      near: count(sql`${tickets.slaState} = 2`),
      breached: count(sql`${tickets.slaState} = 3`),
      reminded: count(sql`${tickets.status} = 4 and ${tickets.suspendUntil} <= now() + interval '1 day' and ${mine}`),
    })
    .from(tickets)
    .where(and(visible(user), isOpen, or(eq(tickets.handlerId, user.uid), isNull(tickets.handlerId))))
  return row ?? { mine: 0, unassigned: 0, near: 0, breached: 0, reminded: 0 }
}
