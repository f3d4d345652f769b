import { sql } from 'drizzle-orm'
import {
  bigserial,
  date,
  index,
  integer,
  numeric,
  pgTable,
  smallint,
  uniqueIndex,
  uuid,
  primaryKey,
} from 'drizzle-orm/pg-core'
import { moment, tenantPolicy } from '#core/schema/columns.ts'

/**
 * Measured use of voice agents. Each transaction appends the use that it causes; a job merges the appended rows into
 * one row a group. The sum over both kinds of rows is exact at any moment.
 */
export const agentUsage = pgTable(
  'agent_usage',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    day: date({ mode: 'string' }).notNull(),
    tenantId: integer().notNull(),
    /** 0: no agent. */
    agentId: integer().notNull(),
    /** 0: no device. */
    deviceId: integer().notNull(),
    /** 0: no model. */
    modelId: integer().notNull(),
    /** 1 device, 2 try-out, 3 background. */
    source: smallint().notNull(),
    /** A value of `USAGE_UNIT`. */
    unit: smallint().notNull(),
    isEstimate: smallint().notNull().default(0),
    n: numeric({ precision: 18, scale: 1, mode: 'number' }).notNull(),
    /** Cost in fen. Fractions are kept, because one turn costs less than a fen. */
    cost: numeric({ precision: 18, scale: 6, mode: 'number' }).notNull().default(0),
    /** Time of the append. Packages are spent in this order. */
    usedTime: moment().notNull().default(sql`now()`),
    /** 0 appended, 1 merged, 2 appended but not mergeable: such rows are counted in sums and spent from no grant. */
    folded: smallint().notNull().default(0),
  },
  (t) => [
    uniqueIndex('agent_usage_group')
      .on(t.day, t.tenantId, t.agentId, t.deviceId, t.modelId, t.source, t.unit, t.isEstimate)
      .where(sql`folded = 1`),
    index('agent_usage_appended').on(t.id).where(sql`folded = 0`),
    index('agent_usage_tenant').on(t.tenantId, t.day),
    index('agent_usage_agent').on(t.agentId, t.day),
    index('agent_usage_device').on(t.deviceId, t.day),
    index('agent_usage_device_days').on(t.day, t.deviceId).where(sql`folded = 1 and device_id > 0`),
    tenantPolicy(),
  ],
)

/**
 * Relayed completions whose tokens are counted. When a count was committed but the response was lost, its repetition
 * finds the row and adds nothing. Rows are deleted after a day.
 */
export const agentCompletions = pgTable(
  'agent_completions',
  {
    id: uuid().primaryKey(),
    tenantId: integer().notNull(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [index('agent_completions_created').on(t.createTime), tenantPolicy()],
)

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
