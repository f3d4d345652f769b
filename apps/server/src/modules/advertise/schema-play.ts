import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  date,
  index,
  integer,
  pgPolicy,
  pgTable,
  primaryKey,
  smallint,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'
import { moment, tenantPolicy } from '#core/schema/columns.ts'

const hasVisibleGroup = sql`EXISTS (SELECT FROM device_groups g WHERE g.id = group_id)`

/** Counted values of plays. Milliseconds are shown time. */
const sums = {
  plays: integer().notNull(),
  complete: integer().notNull(),
  partial: integer().notNull(),
  failed: integer().notNull(),
  ms: bigint({ mode: 'number' }).notNull(),
  /** Plays of screens without a trusted clock; they are in no other column. */
  untrusted: integer().notNull(),
}

/** Reported plays. Partitioned by `play_day`, one day a partition; retention drops a partition. */
export const adPlays = pgTable(
  'ad_plays',
  {
    /** UTC day of the start. For plays without a trusted clock, the day of arrival. */
    playDay: date({ mode: 'string' }).notNull(),
    deviceId: integer().notNull(),
    reportId: uuid().notNull(),
    startMs: bigint({ mode: 'number' }).notNull(),
    ms: integer().notNull(),
    planned: integer().notNull(),
    tenantId: integer().notNull(),
    modelId: integer().notNull(),
    programId: integer().notNull(),
    programVer: integer().notNull(),
    itemId: integer().notNull(),
    adId: integer().notNull(),
    adVer: integer().notNull(),
    materialId: integer().notNull().default(0),
    /** 1 complete, 2 partial, 3 failed. */
    result: smallint().notNull(),
    /** 1 trusted, 0 not. */
    clock: smallint().notNull(),
    /** Number of plays in this row. Above 1 for rows that a player summed by hour. */
    count: integer().notNull().default(1),
    recv: moment().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ name: 'ad_plays_pk', columns: [t.playDay, t.deviceId, t.reportId] }),
    index('ad_plays_start').on(t.deviceId, t.startMs),
    tenantPolicy(),
  ],
)

/** Plays by hour. */
export const adPlayHours = pgTable(
  'ad_play_hours',
  {
    /** Start of the hour, epoch milliseconds. */
    hour: bigint({ mode: 'number' }).notNull(),
    tenantId: integer().notNull(),
    programId: integer().notNull(),
    adId: integer().notNull(),
    modelId: integer().notNull(),
    ...sums,
  },
  (t) => [
    primaryKey({ name: 'ad_play_hours_pk', columns: [t.hour, t.tenantId, t.programId, t.adId, t.modelId] }),
    tenantPolicy(),
  ],
)

/**
 * Plays by device and by day of the console's zone. Days older than 400 days are merged into the first day of their
 * month.
 */
export const adPlayDays = pgTable(
  'ad_play_days',
  {
    day: date({ mode: 'string' }).notNull(),
    deviceId: integer().notNull(),
    programId: integer().notNull(),
    adId: integer().notNull(),
    tenantId: integer().notNull(),
    ...sums,
    /** Trusted and untrusted plays × audience factor of the screen at the play, in hundredths. */
    exposure: bigint({ mode: 'number' }).notNull(),
    firstStart: bigint({ mode: 'number' }).notNull(),
    lastEnd: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [
    // A device may change its tenant during a day.
    primaryKey({ name: 'ad_play_days_pk', columns: [t.day, t.deviceId, t.programId, t.adId, t.tenantId] }),
    index('ad_play_days_tenant').on(t.tenantId, t.day),
    index('ad_play_days_ad').on(t.adId, t.day),
    index('ad_play_days_program').on(t.programId, t.day),
    tenantPolicy(),
  ],
)

/** Differences that are not yet merged into the hours and the days. Append-only; readers add them to the merged rows. */
export const adPlayFresh = pgTable(
  'ad_play_fresh',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    hour: bigint({ mode: 'number' }).notNull(),
    day: date({ mode: 'string' }).notNull(),
    deviceId: integer().notNull(),
    tenantId: integer().notNull(),
    programId: integer().notNull(),
    adId: integer().notNull(),
    modelId: integer().notNull(),
    ...sums,
    firstStart: bigint({ mode: 'number' }).notNull(),
    lastEnd: bigint({ mode: 'number' }).notNull(),
  },
  () => [tenantPolicy()],
)

/** Rejected reports by day of arrival. */
export const adRejects = pgTable(
  'ad_rejects',
  {
    day: date({ mode: 'string' }).notNull(),
    deviceId: integer().notNull(),
    reason: varchar({ length: 16 }).notNull(),
    tenantId: integer().notNull(),
    n: integer().notNull(),
  },
  (t) => [primaryKey({ name: 'ad_rejects_pk', columns: [t.day, t.deviceId, t.reason] }), tenantPolicy()],
)

/**
 * Last known names of ads, programs and tenants, and serial numbers of devices. Deleted records keep their names in the
 * statistics.
 */
export const adNames = pgTable(
  'ad_names',
  {
    /** 1 ad, 2 program, 3 device, 4 tenant. */
    kind: smallint().notNull(),
    id: integer().notNull(),
    name: varchar({ length: 64 }).notNull(),
    /** 1: the named row was deleted. */
    deleted: smallint().notNull().default(0),
  },
  (t) => [primaryKey({ name: 'ad_names_pk', columns: [t.kind, t.id] }), index('ad_names_name').on(t.kind, t.name)],
)

/**
 * Members that a static group had when the device or the group was deleted, so that past plays still count for the group.
 * Contains only devices with a row in `ad_names`. A trigger writes the rows.
 */
export const adFormerMembers = pgTable(
  'ad_former_members',
  { groupId: integer().notNull(), deviceId: integer().notNull() },
  (t) => [
    primaryKey({ name: 'ad_former_members_pk', columns: [t.groupId, t.deviceId] }),
    pgPolicy('tenant_isolation', { to: 'oms_tenant', using: hasVisibleGroup, withCheck: hasVisibleGroup }),
  ],
)
