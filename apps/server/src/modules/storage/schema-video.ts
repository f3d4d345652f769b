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
  smallint,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { moment, tenantPolicy } from '#core/schema/columns.ts'

/**
 * Stored videos and pictures. Partitioned by `expire_day`, one day a partition: retention drops a partition. The object
 * key is made from the row and is not stored. The migration adds triggers that append to `oss_stored` and
 * `oss_usage_days`.
 */
export const ossSegments = pgTable(
  'oss_segments',
  {
    /** First day on which the video no longer exists: day of the recording + days of storage + 1. */
    expireDay: date({ mode: 'string' }).notNull(),
    deviceId: integer().notNull(),
    channel: smallint().notNull(),
    /** 1 video, 2 picture. */
    kind: smallint().notNull(),
    /** Start of the recording in milliseconds since 1970. */
    startMs: bigint({ mode: 'number' }).notNull(),
    durationMs: integer().notNull(),
    /** Bytes received or stored, never the announced number. */
    bytes: integer().notNull(),
    /** Number of the recording session of the camera, and place in the session; session 0: not sent. */
    session: integer().notNull().default(0),
    seq: integer().notNull().default(0),
    tenantId: integer().notNull(),
    /** App account that the device was bound to; 0: none. A video plays only for this account. */
    ownerId: integer().notNull().default(0),
    entitlementId: integer().notNull(),
    modelId: integer().notNull(),
    /** Bytes of the initialisation part of fragmented MP4; 0: none. */
    initBytes: integer().notNull().default(0),
    /** Random part of the object key, as a signed number. */
    salt: integer().notNull(),
    /** Day of the recording in the console's zone. */
    day: date({ mode: 'string' }).notNull(),
    /** 1 MPEG-TS, 2 fragmented MP4, 3 JPEG. */
    format: smallint().notNull(),
    recordType: smallint().notNull(),
    /** 1 stored, 2 missing in the store, 0 an upload of the demo without a file. */
    status: smallint().notNull().default(1),
  },
  (t) => [
    primaryKey({ name: 'oss_segments_pk', columns: [t.expireDay, t.deviceId, t.channel, t.kind, t.startMs] }),
    check('oss_segments_size', sql`bytes > 0 and (kind = 2 or duration_ms > 0)`),
    tenantPolicy(),
  ],
)

/** Events that a camera recorded. Partitioned like `oss_segments`. */
export const ossEvents = pgTable(
  'oss_events',
  {
    expireDay: date({ mode: 'string' }).notNull(),
    deviceId: integer().notNull(),
    channel: smallint().notNull(),
    /** Number that the camera gave the event. */
    eventNo: integer().notNull(),
    type: smallint().notNull(),
    startMs: bigint({ mode: 'number' }).notNull(),
    endMs: bigint({ mode: 'number' }).notNull(),
    /** Start of the event's picture; null: none. */
    pictureMs: bigint({ mode: 'number' }),
    segments: integer().notNull(),
    tenantId: integer().notNull(),
    ownerId: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({
      name: 'oss_events_pk',
      columns: [t.expireDay, t.deviceId, t.channel, t.tenantId, t.ownerId, t.eventNo],
    }),
    tenantPolicy(),
  ],
)

/**
 * Uploads of one channel on one day, by tenant, App account and entitlement: the calendar of days with video, and the
 * partitions that hold the videos. A day that two packages cover has two rows, so that each package has its own bytes.
 * Partitioned by month and kept for 400 days. A purge empties `expire_days`, keeps the sums of uploads
 * and adds to the sums of removed videos.
 */
export const ossDeviceDays = pgTable(
  'oss_device_days',
  {
    deviceId: integer().notNull(),
    channel: smallint().notNull(),
    day: date({ mode: 'string' }).notNull(),
    tenantId: integer().notNull(),
    ownerId: integer().notNull().default(0),
    /** Entitlement of the videos; 0: a day from before days had entitlements. */
    entitlementId: integer().notNull().default(0),
    modelId: integer().notNull(),
    recordType: smallint().notNull(),
    expireDays: date({ mode: 'string' }).array().notNull(),
    segments: integer().notNull(),
    events: integer().notNull().default(0),
    durationMs: bigint({ mode: 'number' }).notNull(),
    bytes: bigint({ mode: 'number' }).notNull(),
    firstMs: bigint({ mode: 'number' }).notNull(),
    lastMs: bigint({ mode: 'number' }).notNull(),
    /** Sums of the videos that were deleted before their expiry date or are missing, written by a trigger. */
    removedSegments: integer().notNull().default(0),
    removedMs: bigint({ mode: 'number' }).notNull().default(0),
    removedBytes: bigint({ mode: 'number' }).notNull().default(0),
  },
  (t) => [
    primaryKey({
      name: 'oss_device_days_pk',
      columns: [t.deviceId, t.channel, t.day, t.tenantId, t.ownerId, t.entitlementId],
    }),
    tenantPolicy(),
  ],
)

/** State of the deletion of one expiry date. An interrupted job continues from this state. */
export const ossDays = pgTable('oss_days', {
  expireDay: date({ mode: 'string' }).primaryKey(),
  /** 0 live, 1 deleting objects, 2 objects deleted, 3 rows dropped. */
  state: smallint().notNull().default(0),
  /** Folder at which the deletion continues. The folders 0 to 255 are hashes of the device; 256: all are deleted. */
  progress: smallint().notNull().default(0),
  objects: bigint({ mode: 'number' }).notNull().default(0),
  updateTime: moment().notNull().default(sql`now()`),
})

/** Early deletions of videos of one device. A trigger on `devices` adds them at unbinding and change of tenant. */
export const ossPurges = pgTable(
  'oss_purges',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    /** Tenant and App account whose videos are deleted; account 0: all accounts. */
    tenantId: integer().notNull(),
    ownerId: integer().notNull().default(0),
    deviceId: integer().notNull(),
    /** Null: all channels. */
    channel: smallint(),
    /** 1 package expired, 2 deleted by the user, 3 unbound, 4 change of tenant, 5 device deleted. */
    reason: smallint().notNull(),
    /** Recordings that start in this interval are deleted. */
    fromMs: bigint({ mode: 'number' }).notNull().default(0),
    untilMs: bigint({ mode: 'number' }).notNull(),
    /** 0 waiting, 1 done. */
    state: smallint().notNull().default(0),
    segments: integer().notNull().default(0),
    bytes: bigint({ mode: 'number' }).notNull().default(0),
    createTime: moment().notNull().default(sql`now()`),
    doneTime: moment(),
  },
  (t) => [
    index('oss_purges_open').on(t.id).where(sql`state = 0`),
    index('oss_purges_device').on(t.deviceId, t.id),
    tenantPolicy(),
  ],
)

/** Last request, response, upload and fault of each channel, stored in batches. */
export const ossDeviceStatus = pgTable(
  'oss_device_status',
  {
    deviceId: integer().notNull(),
    channel: smallint().notNull(),
    tenantId: integer().notNull(),
    askTime: moment(),
    /** `recording`, or the reason of the refusal. */
    answer: varchar({ length: 16 }).notNull().default(''),
    uploadTime: moment(),
    troubleTime: moment(),
    troubleCode: varchar({ length: 32 }).notNull().default(''),
    troubleText: varchar({ length: 200 }).notNull().default(''),
  },
  (t) => [primaryKey({ name: 'oss_device_status_pk', columns: [t.deviceId, t.channel] }), tenantPolicy()],
)

/** Uploads per day of recording. Uploads append rows, and a job merges them. Deletions of videos do not change them. */
export const ossUsageDays = pgTable(
  'oss_usage_days',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    day: date({ mode: 'string' }).notNull(),
    tenantId: integer().notNull(),
    modelId: integer().notNull(),
    recordType: smallint().notNull(),
    segments: integer().notNull(),
    durationMs: bigint({ mode: 'number' }).notNull(),
    bytes: bigint({ mode: 'number' }).notNull(),
    /** Rows of `oss_device_days`: channels with an upload on the day, once for each entitlement. */
    deviceDays: integer().notNull(),
    /** 0 appended, 1 merged. */
    folded: smallint().notNull().default(0),
  },
  (t) => [
    uniqueIndex('oss_usage_days_group').on(t.day, t.tenantId, t.modelId, t.recordType).where(sql`folded = 1`),
    index('oss_usage_days_appended').on(t.id).where(sql`folded = 0`),
    index('oss_usage_days_day').on(t.day, t.tenantId),
    tenantPolicy(),
  ],
)

/** Stored segments and bytes per expiry date, stored as additions and subtractions like `oss_counts`. */
export const ossStored = pgTable(
  'oss_stored',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    expireDay: date({ mode: 'string' }).notNull(),
    tenantId: integer().notNull(),
    modelId: integer().notNull(),
    recordType: smallint().notNull(),
    segments: integer().notNull(),
    bytes: bigint({ mode: 'number' }).notNull(),
  },
  (t) => [index('oss_stored_day').on(t.expireDay, t.tenantId), tenantPolicy()],
)

/** Days on which the staff of a tenant was notified of cameras without uploads. One message is sent per day. */
export const ossTroubleDays = pgTable(
  'oss_trouble_days',
  {
    tenantId: integer().notNull(),
    day: date().notNull(),
    channels: integer().notNull(),
  },
  (t) => [primaryKey({ name: 'oss_trouble_days_pk', columns: [t.tenantId, t.day] }), tenantPolicy()],
)
