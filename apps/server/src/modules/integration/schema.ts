import { sql } from 'drizzle-orm'
import {
  bigserial,
  index,
  integer,
  jsonb,
  pgTable,
  serial,
  smallint,
  text,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { audited, moment, softDelete, tenantPolicy } from '#core/schema/columns.ts'

/** Events of the business. The transaction of the change inserts the event, so that none is lost and none is invented. */
export const outboxEvents = pgTable(
  'outbox_events',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    tenantId: integer().notNull(),
    eventId: varchar({ length: 40 }).notNull(),
    type: varchar({ length: 40 }).notNull(),
    data: jsonb().$type<Readonly<Record<string, unknown>>>().notNull(),
    createTime: moment().notNull().default(sql`now()`),
    /** Time when the deliveries of the event were created. */
    dispatchTime: moment(),
  },
  (t) => [
    index('outbox_events_new').on(t.id).where(sql`dispatch_time is null`),
    index('outbox_events_time').on(t.createTime),
    tenantPolicy(),
  ],
)

/** Receivers of events. An endpoint of the platform receives the events of all tenants. */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    name: varchar({ length: 30 }).notNull(),
    kind: varchar({ length: 10 }).$type<'webhook' | 'dingtalk' | 'feishu' | 'wecom'>().notNull(),
    /** The URL of a robot contains its key. */
    urlEncrypted: text().notNull(),
    address: varchar({ length: 300 }).notNull(),
    events: varchar({ length: 40 }).array().notNull(),
    secretEncrypted: varchar({ length: 500 }).notNull().default(''),
    /** Secret before the last rotation, used until `formerUntil`. */
    formerEncrypted: varchar({ length: 500 }).notNull().default(''),
    formerUntil: moment(),
    /** 1 active, 2 paused, 3 disabled after failures. */
    state: smallint().notNull().default(1),
    stateReason: varchar({ length: 200 }).notNull().default(''),
    failures: integer().notNull().default(0),
    failedSince: moment(),
    lastTime: moment(),
    ...audited,
    ...softDelete,
  },
  (t) => [uniqueIndex('webhook_endpoints_name').on(t.tenantId, t.name).where(sql`deleted_at is null`), tenantPolicy()],
)

/** Deliveries of events to endpoints, kept for 30 days. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    /** Tenant of the endpoint. */
    tenantId: integer().notNull(),
    eventTenantId: integer().notNull(),
    endpointId: integer().notNull(),
    eventId: varchar({ length: 40 }).notNull(),
    eventType: varchar({ length: 40 }).notNull(),
    /** JSON text. A webhook receives exactly these bytes in every attempt. */
    body: text().notNull(),
    /** 0 waiting, 1 done, 2 failed. */
    state: smallint().notNull().default(0),
    attempts: smallint().notNull().default(0),
    httpStatus: smallint(),
    answer: varchar({ length: 1000 }).notNull().default(''),
    /** Time of the next attempt. During an attempt, the time at which another process may repeat it. */
    nextTime: moment().default(sql`now()`),
    attemptTime: moment(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    uniqueIndex('webhook_deliveries_event').on(t.endpointId, t.eventId),
    index('webhook_deliveries_due').on(t.endpointId, t.nextTime).where(sql`state = 0`),
    index('webhook_deliveries_list').on(t.endpointId, t.id),
    index('webhook_deliveries_attempt').on(t.endpointId, t.attemptTime),
    index('webhook_deliveries_time').on(t.createTime),
    tenantPolicy(),
  ],
)
