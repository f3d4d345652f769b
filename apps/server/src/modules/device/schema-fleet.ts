import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, smallint, varchar } from 'drizzle-orm/pg-core'
import { moment } from '#core/schema/columns.ts'

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

/**
 * Numbers of devices, counted by a job. Pages of large fleets add these numbers, and defect rates of tickets are divided by
 * the activated devices.
 */
export const fleetCounts = pgTable(
  'fleet_counts',
  {
    tenantId: integer().notNull(),
    modelId: integer().notNull(),
    /** 0: no version reported. */
    verCode: integer().notNull(),
    region: varchar({ length: 64 }).notNull(),
    osVer: varchar({ length: 64 }).notNull().default(''),
    devices: integer().notNull(),
    online: integer().notNull(),
    /** Never activated and not online. */
    inactive: integer().notNull(),
    disabled: integer().notNull(),
    activated: integer().notNull(),
    activatedToday: integer().notNull(),
    createdToday: integer().notNull(),
    countTime: moment().notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ name: 'fleet_counts_pk', columns: [t.tenantId, t.modelId, t.verCode, t.region] })],
)
