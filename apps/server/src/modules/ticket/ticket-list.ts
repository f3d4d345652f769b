import type { feedback } from '@oms/contract/ticket/ticket.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, type Column, eq, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { tickets } from './schema.ts'
import type { Ctx, User } from '#core/http/context.ts'
import { paginateLarge } from '#core/database/lists/large-list.ts'
import {
  isTicketOpen,
  buildTicketFilter,
  selectTicketsWithoutNames,
  isPendingFor,
  buildPendingTicketSort,
  selectTickets,
  TICKET_NAMES,
  buildTicketSort,
  visibleTickets,
} from './ticket-rows.ts'

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

export async function listPendingTickets(ctx: Ctx, input: Input) {
  const found = await pageOfKind(ctx, input, {
    name: 'pending',
    order: buildPendingTicketSort(input),
    also: isPendingFor,
  })
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
    .where(and(visibleTickets(user), isTicketOpen, or(eq(tickets.handlerId, user.uid), isNull(tickets.handlerId))))
  return row ?? { mine: 0, unassigned: 0, near: 0, breached: 0, reminded: 0 }
}
