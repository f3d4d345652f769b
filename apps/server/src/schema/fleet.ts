import { index, integer, pgTable, primaryKey, smallint } from 'drizzle-orm/pg-core'
import { moment } from './columns.ts'

/**
 * Number of devices and maximum number of online devices, per hour and per day. Device rows only contain the present
 * state. A job writes the samples; tenant 0 contains all tenants.
 */
export const fleetSamples = pgTable(
  'fleet_samples',
  {
    /** 1 hour, 2 day in the console's time zone. */
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
