import { date, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core'
import { tenantPolicy } from '#core/schema/columns.ts'

/** Use of the try-out by day and tenant, for the daily budget. */
export const agentTryDays = pgTable(
  'agent_try_days',
  {
    tenantId: integer().notNull(),
    day: date().notNull(),
    calls: integer().notNull().default(0),
    tokensIn: integer().notNull().default(0),
    tokensOut: integer().notNull().default(0),
  },
  (t) => [primaryKey({ name: 'agent_try_days_pk', columns: [t.tenantId, t.day] }), tenantPolicy()],
)
