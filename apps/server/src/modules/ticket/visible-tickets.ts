import { FEEDBACK_CLOSED } from '@oms/contract/ticket/ticket-rows.ts'
import { and, eq, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import { tickets } from './schema.ts'
import type { User } from '#core/http/context.ts'
import { scoped } from '#core/tenancy/tenancy.ts'

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
