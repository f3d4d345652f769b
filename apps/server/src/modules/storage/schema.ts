import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  check,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  serial,
  smallint,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { audited, moment, transactionId } from '#core/schema/columns.ts'
import { packageColumns, versionColumns } from '#core/schema/package-columns.ts'

/** Cloud-storage packages: names and sort positions. The terms of sale are stored with each version. */
export const ossPackages = pgTable('oss_packages', packageColumns(), (t) => [
  uniqueIndex('oss_packages_name').on(t.packageName).where(sql`deleted_at is null`),
  uniqueIndex('oss_packages_code').on(t.packageCode).where(sql`deleted_at is null`),
  index('oss_packages_sort').on(t.sort, t.id),
])

/** Terms of sale of a package. A trigger refuses changes of a sold version. */
export const ossPackageVersions = pgTable(
  'oss_package_versions',
  {
    ...versionColumns(),
    /** 1 continuous, 2 events, 3 low-power events. */
    recordType: smallint().notNull(),
    storageDays: smallint().notNull(),
    /** 1 weeks, 2 months, 3 years. */
    periodType: smallint().notNull(),
    periodCount: smallint().notNull(),
    /** Highest number of channels that one purchase covers. */
    channels: smallint().notNull().default(1),
    /** Seconds recorded before an event, and length of an event recording; `prolong` 1: while the event lasts. */
    preRecord: smallint().notNull().default(0),
    eventRecord: smallint().notNull().default(0),
    prolong: smallint().notNull().default(0),
    /** 0: unlimited. */
    dayLimitMb: integer().notNull().default(0),
  },
  (t) => [
    uniqueIndex('oss_package_versions_no').on(t.packageId, t.version),
    check(
      'oss_package_versions_terms',
      sql`price >= 0 and period_count between 1 and 36 and channels between 1 and 64`,
    ),
  ],
)

/** Entitlements: one package on one channel of one device, with a copy of its terms. */
export const ossEntitlements = pgTable(
  'oss_entitlements',
  {
    id: serial().primaryKey(),
    entNo: varchar({ length: 20 }).notNull(),
    deviceId: integer().notNull(),
    sn: varchar({ length: 64 }).notNull(),
    channel: smallint().notNull(),
    tenantId: integer().notNull(),
    packageId: integer().notNull(),
    packageVersionId: integer().notNull(),
    packageName: varchar({ length: 32 }).notNull(),
    packageCode: varchar({ length: 32 }).notNull(),
    recordType: smallint().notNull(),
    storageDays: smallint().notNull(),
    periodType: smallint().notNull(),
    periodCount: smallint().notNull(),
    /** 1 purchase, 2 gift, 3 card, 4 trial, 5 transfer. */
    source: smallint().notNull(),
    /** 1: created by a renewal. */
    isRenewal: smallint().notNull().default(0),
    /** Channels opened together have the same number. */
    groupNo: varchar({ length: 20 }).notNull().default(''),
    /** Entitlement that was transferred to this one. */
    fromId: integer(),
    /** Item of the order that paid for the entitlement, also after a transfer. */
    orderItemId: integer(),
    /** Place in the queue; the current entitlement is 0. */
    position: integer().notNull().default(0),
    /** 0 waiting, 1 in force, 2 expired, 3 suspended, 4 cancelled, 5 transferred. */
    state: smallint().notNull().default(0),
    /** First start. While the entitlement waits: the planned start, or null behind a suspended entitlement. */
    startTime: moment(),
    /** Start of the current interval while in force. */
    runFrom: moment(),
    /** End; while in force or waiting: the planned end. */
    endTime: moment(),
    /** Remaining seconds after a pause; null: the whole period by the calendar. */
    leftSeconds: integer(),
    totalSeconds: integer().notNull().default(0),
    usedSeconds: integer().notNull().default(0),
    /** Paid amount in fen. */
    amount: integer().notNull().default(0),
    reason: varchar({ length: 200 }).notNull().default(''),
    ...audited,
  },
  (t) => [
    uniqueIndex('oss_entitlements_no').on(t.entNo),
    uniqueIndex('oss_entitlements_current').on(t.deviceId, t.channel).where(sql`state in (1, 3)`),
    uniqueIndex('oss_entitlements_trial').on(t.sn).where(sql`source = 4`),
    index('oss_entitlements_queue').on(t.deviceId, t.channel, t.position).where(sql`state in (0, 1, 3)`),
    index('oss_entitlements_device').on(t.deviceId, t.channel, t.id),
    index('oss_entitlements_tenant').on(t.tenantId, t.id),
    index('oss_entitlements_package').on(t.packageId, t.id),
    index('oss_entitlements_state').on(t.state, t.id),
    index('oss_entitlements_start').on(t.startTime.asc().nullsFirst(), t.id),
    index('oss_entitlements_end').on(t.endTime.asc().nullsFirst(), t.id),
    index('oss_entitlements_item').on(t.orderItemId).where(sql`order_item_id is not null`),
    index('oss_entitlements_created').on(t.createTime, t.id),
    check('oss_entitlements_seconds', sql`used_seconds >= 0 and total_seconds >= used_seconds`),
    check('oss_entitlements_running', sql`state <> 1 or (run_from is not null and end_time is not null)`),
  ],
)

/**
 * The queue of one channel: locked by every change, and read by lists and by the scheduled job. All columns follow from
 * the entitlements.
 */
export const ossQueues = pgTable(
  'oss_queues',
  {
    deviceId: integer().notNull(),
    channel: smallint().notNull(),
    tenantId: integer().notNull(),
    /** 1: the current entitlement is suspended, so the end is unknown. */
    suspended: smallint().notNull().default(0),
    /** End of the last entitlement; null while suspended, and before the first entitlement. */
    endTime: moment(),
    /** Package of the last entitlement. */
    lastPackageId: integer().notNull().default(0),
    /** Next end of an entitlement; null: nothing ends by itself. */
    nextTime: moment(),
    /** 1: the user switched cloud recording off. */
    switchedOff: smallint().notNull().default(0),
    /** Value of `end_time` for which the videos were deleted early. */
    purgedEnd: moment(),
    changed: transactionId().notNull().default(sql`pg_current_xact_id()`),
  },
  (t) => [
    primaryKey({ name: 'oss_queues_pk', columns: [t.deviceId, t.channel] }),
    index('oss_queues_next').on(t.nextTime, t.deviceId, t.channel).where(sql`next_time is not null`),
    index('oss_queues_end').on(t.endTime),
    index('oss_queues_tenant').on(t.tenantId),
    index('oss_queues_changed').on(t.changed),
  ],
)

/** Times in which an entitlement was in force. Append-only. */
export const ossSpans = pgTable(
  'oss_spans',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    entitlementId: integer().notNull(),
    tenantId: integer().notNull(),
    deviceId: integer().notNull(),
    channel: smallint().notNull(),
    fromTime: moment().notNull(),
    toTime: moment().notNull(),
    recordType: smallint().notNull(),
    storageDays: smallint().notNull(),
  },
  (t) => [
    index('oss_spans_device').on(t.deviceId, t.channel, t.fromTime),
    index('oss_spans_entitlement').on(t.entitlementId, t.id),
    check('oss_spans_order', sql`to_time > from_time`),
  ],
)

/** Seconds and amounts of each entitlement. Append-only; the sum of the seconds is what remains. */
export const ossLedger = pgTable(
  'oss_ledger',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    entitlementId: integer().notNull(),
    tenantId: integer().notNull(),
    packageId: integer().notNull(),
    source: smallint().notNull(),
    /** 1 granted, 2 used, 3 returned, 4 void, 5 transferred out, 6 transferred in, 7 calendar adjustment. */
    kind: smallint().notNull(),
    isRenewal: smallint().notNull().default(0),
    seconds: integer().notNull(),
    amount: integer().notNull().default(0),
    balance: integer().notNull(),
    uid: integer(),
    operName: varchar({ length: 30 }).notNull().default(''),
    reason: varchar({ length: 200 }).notNull().default(''),
    /** Time of the event, which may be earlier than the time of the record. */
    atTime: moment().notNull(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [index('oss_ledger_entitlement').on(t.entitlementId, t.id), check('oss_ledger_balance', sql`balance >= 0`)],
)

/** Number of entitlements of each kind, stored as additions and subtractions like `license_counts`. */
export const ossCounts = pgTable(
  'oss_counts',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    tenantId: integer().notNull(),
    packageId: integer().notNull(),
    recordType: smallint().notNull(),
    source: smallint().notNull(),
    state: smallint().notNull(),
    n: integer().notNull(),
  },
  (t) => [index('oss_counts_tenant').on(t.tenantId), index('oss_counts_package').on(t.packageId)],
)

/** Entitlements opened, renewed, expired and cancelled per day, with their amounts. Maintained like `oss_counts`. */
export const ossFlows = pgTable(
  'oss_flows',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    day: date({ mode: 'string' }).notNull(),
    tenantId: integer().notNull(),
    packageId: integer().notNull(),
    source: smallint().notNull(),
    /** 1 opened, 2 renewed, 3 expired, 4 cancelled, 5 refunded. */
    kind: smallint().notNull(),
    n: integer().notNull(),
    /** Amount in fen; refunds are negative, so the sum of a day is its revenue. */
    amount: bigint({ mode: 'number' }).notNull().default(0),
  },
  (t) => [index('oss_flows_day').on(t.day, t.tenantId)],
)

/** Number of queues in force that end on each day. Maintained like `oss_counts`. */
export const ossEnds = pgTable(
  'oss_ends',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    day: date({ mode: 'string' }).notNull(),
    tenantId: integer().notNull(),
    packageId: integer().notNull(),
    n: integer().notNull(),
  },
  (t) => [index('oss_ends_day').on(t.day, t.tenantId)],
)
