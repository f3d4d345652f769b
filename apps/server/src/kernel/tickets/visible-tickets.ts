import { FEEDBACK_CLOSED } from '@oms/contract/feedback-rows.ts'
import { and, eq, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import { tickets } from '#db/schema/ticket.ts'
import type { User } from '../context.ts'
import { scoped } from '../tenancy.ts'

export const isOpen = ne(tickets.status, sql.raw(String(FEEDBACK_CLOSED)))

/**
 * The tickets an account may see: those of its customers. Whose scope is "own records" sees what it made or handled,
 * and what nobody has taken yet.
 */
export function visibleTickets(user: User): SQL | undefined {
  const own = user.scope.ownOnly
    ? or(
        eq(tickets.createBy, user.uid),
        eq(tickets.handlerId, user.uid),
        eq(tickets.lastHandlerId, user.uid),
        and(isNull(tickets.handlerId), isOpen),
      )
    : undefined
  return and(scoped(user, { tenant: tickets.tenantId }), own)
}
