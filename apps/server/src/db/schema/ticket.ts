import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  serial,
  smallint,
  text,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { audited, moment, softDelete } from './columns.ts'

/** The options ticked in the three checklists, by the values of their dictionaries. */
export interface ProblemAttr {
  hardware: string[]
  software: string[]
  structure: string[]
}

/**
 * After-sales tickets ("feedback"). What is known of the device is kept as it was when the ticket came in: devices change,
 * are moved and deleted, and the ticket must still say what it was about.
 */
export const tickets = pgTable(
  'tickets',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    feedbackNo: varchar({ length: 20 }).notNull(),
    /** Who reported it: an App account, or what was written down on the phone. */
    account: varchar({ length: 50 }).notNull().default(''),
    contact: varchar({ length: 50 }).notNull().default(''),
    appAccountId: integer(),
    deviceId: integer(),
    sn: varchar({ length: 64 }).notNull().default(''),
    devName: varchar({ length: 64 }).notNull().default(''),
    modelId: integer(),
    modelName: varchar({ length: 32 }).notNull().default(''),
    typeName: varchar({ length: 32 }).notNull().default(''),
    verCode: integer(),
    osVer: varchar({ length: 64 }).notNull().default(''),
    devCreateTime: moment(),
    /** 1 hardware fault, 2 software fault, 3 suggestion. */
    problemType: smallint().notNull(),
    content: varchar({ length: 2000 }).notNull(),
    problemAttr: jsonb().$type<ProblemAttr>().notNull().default({ hardware: [], software: [], structure: [] }),
    /** 0 new, 1 analysis, 2 modify, 3 verify, 4 suspended, 5 closed. */
    status: smallint().notNull().default(0),
    /** Null: anybody may take it. */
    handlerId: integer(),
    /** Name of the handler, also for those whose wall hides the account. */
    handler: varchar({ length: 50 }).notNull().default(''),
    /** Who handled it last: a closed ticket has no handler, but somebody closed it. */
    lastHandlerId: integer(),
    /** 1 low, 2 normal, 3 high, 4 urgent. */
    priority: smallint().notNull().default(2),
    /** 1 App, 2 console, 3 telephone, 4 device or API. */
    source: smallint().notNull().default(2),
    tags: text().array().notNull().default(sql`'{}'`),
    firstRespondTime: moment(),
    closeTime: moment(),
    reopenCount: integer().notNull().default(0),
    slaRespondDue: moment(),
    slaSolveDue: moment(),
    /** 0 none, 1 in time, 2 near, 3 breached. */
    slaState: smallint().notNull().default(0),
    /** When the state has to be looked at again; null: nothing can change by itself. */
    slaNextTime: moment(),
    /** Set for good once a due time passed: the hit rate counts it. */
    slaBreached: boolean().notNull().default(false),
    suspendTime: moment(),
    /** Business minutes it was suspended; they do not count. */
    pausedMinutes: integer().notNull().default(0),
    /** A suspended ticket reminds its handler then. */
    suspendUntil: moment(),
    satisfaction: smallint(),
    satisfactionRemark: varchar({ length: 200 }).notNull().default(''),
    mergedIntoId: integer(),
    ...audited,
  },
  (t) => [
    uniqueIndex('tickets_no').on(t.feedbackNo),
    index('tickets_tenant').on(t.tenantId, t.id),
    index('tickets_sn').on(t.sn, t.id).where(sql`sn <> ''`),
    index('tickets_created').on(t.createTime, t.id),
    index('tickets_closed').on(t.closeTime, t.id).where(sql`close_time is not null`),
    index('tickets_updated').on(t.updateTime, t.id),
    // What waits is little, however many tickets there ever were.
    index('tickets_open').on(t.handlerId, t.id).where(sql`status <> 5`),
    // All that the tiles above the pending list count, so that they are counted without the tickets themselves.
    index('tickets_open_counts')
      .on(t.handlerId, t.slaState, t.status, t.suspendUntil, t.tenantId)
      .where(sql`status <> 5`),
    index('tickets_open_all').on(t.id).where(sql`status <> 5`),
    index('tickets_open_priority').on(t.priority, t.id).where(sql`status <> 5`),
    index('tickets_status').on(t.status, t.id),
    index('tickets_handler').on(t.lastHandlerId, t.id),
    index('tickets_model').on(t.modelId, t.verCode, t.id),
    index('tickets_sla').on(t.slaNextTime).where(sql`sla_next_time is not null`),
    index('tickets_remind').on(t.suspendUntil).where(sql`suspend_until is not null`),
    index('tickets_breached').on(t.id).where(sql`sla_state = 3 and status <> 5`),
    index('tickets_tags').using('gin', t.tags),
    index('tickets_attr').using('gin', t.problemAttr),
    index('tickets_merged').on(t.mergedIntoId).where(sql`merged_into_id is not null`),
  ],
)

/** Everything that happened to a ticket, in order; what a person did and what the clock did. */
export const ticketRecords = pgTable(
  'ticket_records',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    ticketId: integer().notNull(),
    /** 1 made, 2 handled, 3 claimed, 4 assigned, 5 merged, 6 priority, 7 tags, 8 reminder, 9 rated, 10 SLA, 11 changed. */
    kind: smallint().notNull(),
    uid: integer(),
    realname: varchar({ length: 50 }).notNull().default(''),
    handlerId: integer(),
    handler: varchar({ length: 50 }).notNull().default(''),
    /** Status after it. */
    status: smallint().notNull(),
    fromStatus: smallint(),
    remark: varchar({ length: 200 }).notNull().default(''),
    /** What changed, in words: `优先级：普通 → 紧急`. */
    detail: varchar({ length: 500 }).notNull().default(''),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [index('ticket_records_ticket').on(t.ticketId, t.id)],
)

/** Attachments (kind 1) and pictures (kind 2) of a ticket, in the order they were given. */
export const ticketFiles = pgTable(
  'ticket_files',
  {
    ticketId: integer().notNull(),
    fileId: varchar({ length: 32 }).notNull(),
    kind: smallint().notNull(),
    name: varchar({ length: 200 }).notNull(),
    size: bigint({ mode: 'number' }).notNull(),
    sort: smallint().notNull().default(0),
  },
  (t) => [primaryKey({ name: 'ticket_files_pk', columns: [t.ticketId, t.kind, t.fileId] })],
)

/** The last number given on each day: taken in the transaction of the ticket, so that no number is lost. */
export const ticketNumbers = pgTable('ticket_numbers', {
  day: date({ mode: 'string' }).primaryKey(),
  last: integer().notNull(),
})

/** Texts people write again and again. */
export const ticketTemplates = pgTable(
  'ticket_templates',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    title: varchar({ length: 50 }).notNull(),
    content: varchar({ length: 200 }).notNull(),
    sort: integer().notNull().default(0),
    ...audited,
    ...softDelete,
  },
  (t) => [uniqueIndex('ticket_templates_title').on(t.tenantId, t.title).where(sql`deleted_at is null`)],
)

/** Who has a ticket open right now; unlogged, a crash may forget it. */
export const ticketViewers = pgTable(
  'ticket_viewers',
  {
    ticketId: integer().notNull(),
    uid: integer().notNull(),
    realname: varchar({ length: 50 }).notNull().default(''),
    /** 1 while a remark is being written. */
    typing: smallint().notNull().default(0),
    seenTime: moment().notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ name: 'ticket_viewers_pk', columns: [t.ticketId, t.uid] })],
)

/**
 * What statistics count, by day, tenant and model. A trigger of `tickets` appends differences in the same transaction,
 * so nobody waits for anybody; a job adds them up. `dim` says what is counted and `key` of what: see the migration.
 */
export const ticketFacts = pgTable(
  'ticket_facts',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    dim: smallint().notNull(),
    day: date({ mode: 'string' }).notNull(),
    tenantId: integer().notNull(),
    /** 0: the ticket names no model. */
    modelId: integer().notNull(),
    key: varchar({ length: 64 }).notNull().default(''),
    n: integer().notNull(),
    total: bigint({ mode: 'number' }).notNull().default(0),
    /** Not added up yet. */
    fresh: boolean().notNull().default(true),
  },
  (t) => [
    index('ticket_facts_dim').on(t.dim, t.day, t.tenantId, t.modelId),
    index('ticket_facts_fresh').on(t.day).where(sql`fresh`),
  ],
)

/** Active devices by model and firmware, counted by a job: what defect rates are divided by. */
export const ticketFleet = pgTable(
  'ticket_fleet',
  {
    tenantId: integer().notNull(),
    modelId: integer().notNull(),
    /** 0: never reported. */
    verCode: integer().notNull(),
    osVer: varchar({ length: 64 }).notNull().default(''),
    devices: integer().notNull(),
    countTime: moment().notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ name: 'ticket_fleet_pk', columns: [t.tenantId, t.modelId, t.verCode] })],
)
