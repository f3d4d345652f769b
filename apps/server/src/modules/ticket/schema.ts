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
import { audited, moment, softDelete } from '#core/schema/columns.ts'

/** Selected options of the three checklists, as dictionary values. */
export interface ProblemAttr {
  hardware: string[]
  software: string[]
  structure: string[]
}

/**
 * After-sales tickets ("feedback" in the specification). Device data is a copy from the time of creation, because
 * devices change, move and are deleted later.
 */
export const tickets = pgTable(
  'tickets',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    feedbackNo: varchar({ length: 20 }).notNull(),
    /** Reporter: an App account, or a name noted during a telephone call. */
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
    /** Null: any handler may claim the ticket. */
    handlerId: integer(),
    /** Name of the handler, also visible to accounts whose row-level security hides the handler's account. */
    handler: varchar({ length: 50 }).notNull().default(''),
    /** Last handler. A closed ticket has no handler but keeps the account that closed it. */
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
    /** 0 none, 1 in time, 2 near the deadline, 3 breached. */
    slaState: smallint().notNull().default(0),
    /** Time of the next check of the SLA state; null: the state cannot change by itself. */
    slaNextTime: moment(),
    /** True for ever once a deadline passed. The SLA rate counts this value. */
    slaBreached: boolean().notNull().default(false),
    suspendTime: moment(),
    /** Business minutes of suspension, which do not count towards deadlines. */
    pausedMinutes: integer().notNull().default(0),
    /** Time when a suspended ticket reminds its handler. */
    suspendUntil: moment(),
    satisfaction: smallint(),
    satisfactionRemark: varchar({ length: 200 }).notNull().default(''),
    mergedIntoId: integer(),
    ...audited,
  },
  (t) => [
    uniqueIndex('tickets_no').on(t.feedbackNo),
    index('tickets_tenant').on(t.tenantId, t.id),
    index('tickets_device').on(t.deviceId, t.id).where(sql`device_id is not null`),
    index('tickets_sn').on(t.sn, t.id).where(sql`sn <> ''`),
    index('tickets_created').on(t.createTime, t.id),
    index('tickets_closed').on(t.closeTime, t.id).where(sql`close_time is not null`),
    index('tickets_updated').on(t.updateTime, t.id),
    // Index of open tickets, which are few compared to all tickets.
    index('tickets_open').on(t.handlerId, t.id).where(sql`status <> 5`),
    // Contains all columns that the tiles above the pending list count, so that counting reads only the index.
    index('tickets_open_counts')
      .on(t.handlerId, t.slaState, t.status, t.suspendUntil, t.tenantId)
      .where(sql`status <> 5`),
    index('tickets_open_all').on(t.id).where(sql`status <> 5`),
    index('tickets_priority').on(t.priority, t.id),
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

/** History of a ticket in order, with actions of accounts and of scheduled jobs. */
export const ticketRecords = pgTable(
  'ticket_records',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    ticketId: integer().notNull(),
    /**
     * 1 created, 2 handled, 3 claimed, 4 assigned, 5 merged, 6 priority, 7 tags, 8 reminder, 9 rated, 10 SLA, 11
     * changed, 12 comment.
     */
    kind: smallint().notNull(),
    uid: integer(),
    realname: varchar({ length: 50 }).notNull().default(''),
    handlerId: integer(),
    handler: varchar({ length: 50 }).notNull().default(''),
    /** Status after the action. */
    status: smallint().notNull(),
    fromStatus: smallint(),
    remark: varchar({ length: 200 }).notNull().default(''),
    /** Change in words: `优先级：普通 → 紧急`. */
    detail: varchar({ length: 500 }).notNull().default(''),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [index('ticket_records_ticket').on(t.ticketId, t.id)],
)

/** Attachments (kind 1) and pictures (kind 2) of a ticket in upload order. */
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

/** Last ticket number of each day. Numbers are assigned in the ticket's transaction, so that none is skipped. */
export const ticketNumbers = pgTable('ticket_numbers', {
  day: date({ mode: 'string' }).primaryKey(),
  last: integer().notNull(),
})

/** Text templates for frequent replies. */
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

/** Accounts that have a ticket open now. The table is unlogged; a crash may lose its rows. */
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
 * Statistics of tickets by day, tenant and model. A trigger of `tickets` appends differences in the same transaction,
 * so that writers never wait for each other. The job `ticket-rollup` adds up the rows of a day. `dim` is the counted
 * dimension and `key` its value: see the migration.
 */
export const ticketFacts = pgTable(
  'ticket_facts',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    dim: smallint().notNull(),
    day: date({ mode: 'string' }).notNull(),
    tenantId: integer().notNull(),
    /** 0: the ticket has no model. */
    modelId: integer().notNull(),
    key: varchar({ length: 64 }).notNull().default(''),
    n: integer().notNull(),
    total: bigint({ mode: 'number' }).notNull().default(0),
    /** True until the job `ticket-rollup` merges the row with the other rows of its day. */
    fresh: boolean().notNull().default(true),
  },
  (t) => [
    index('ticket_facts_dim').on(t.dim, t.day, t.tenantId, t.modelId),
    index('ticket_facts_fresh').on(t.day).where(sql`fresh`),
  ],
)
