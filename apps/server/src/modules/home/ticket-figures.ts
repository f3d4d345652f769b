import { and, eq, isNull, ne, or } from 'drizzle-orm'
import { tickets } from '#db/schema/ticket.ts'
import type { User } from '#kernel/context.ts'
import { scoped } from '#kernel/tenancy.ts'

const CLOSED = 5
const PAGES = ['Questions', 'PendingList', 'StatisticAnalysis'] as const

export const seesTickets = (user: User) => PAGES.some((page) => user.can(`AfterService:${page}:list`))
export const openTickets = ne(tickets.status, CLOSED)

/** The same tickets as the lists of tickets show: with "own records", what one made or handled and what nobody has. */
export function visibleTickets(user: User) {
  const own = user.scope.ownOnly
    ? or(
        eq(tickets.createBy, user.uid),
        eq(tickets.handlerId, user.uid),
        eq(tickets.lastHandlerId, user.uid),
        and(isNull(tickets.handlerId), openTickets),
      )
    : undefined
  return and(scoped(user, { tenant: tickets.tenantId }), own)
}
