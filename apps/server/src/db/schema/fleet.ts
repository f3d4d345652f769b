import { index, integer, pgTable, primaryKey, smallint } from 'drizzle-orm/pg-core'
import { moment } from './columns.ts'

/**
 * How many devices there were and how many at most were online, per hour and per day: devices themselves only know now.
 * Kept by a job; customer 0 is everybody.
 */
export const fleetSamples = pgTable(
  'fleet_samples',
  {
    /** 1 an hour, 2 a day of the console's zone. */
    span: smallint().notNull(),
    start: moment().notNull(),
    tenantId: integer().notNull(),
    devices: integer().notNull(),
    online: integer().notNull(),
  },
  (t) => [
    primaryKey({ name: 'fleet_samples_pk', columns: [t.span, t.start, t.tenantId] }),
    index('fleet_samples_tenant').on(t.tenantId, t.span, t.start),
  ],
)
