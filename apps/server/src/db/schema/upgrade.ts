import { sql } from 'drizzle-orm'
import {
  bigserial,
  boolean,
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
import { audited, moment, transactionId } from './columns.ts'

/**
 * Who may get an enabled version, and when. Made when the version is first enabled, as a test release: until somebody
 * publishes it formally only the devices of its white list get it.
 */
export const otaPolicies = pgTable(
  'ota_policies',
  {
    otaId: integer().primaryKey(),
    /** That of the version. */
    tenantId: integer().notNull(),
    /** 1 test release: white list only; 2 formal release: the white list always, others by the rules below. */
    mode: smallint().notNull().default(1),
    /** 0 running, 1 waiting for a second person, 2 refused by that person, 3 paused, 4 stopped for good. */
    state: smallint().notNull().default(0),
    /** Why it is paused or refused, in words for a person. */
    stateReason: varchar({ length: 200 }).notNull().default(''),
    /** Share of devices in hundredths of a percent, 0-10,000; with stages that of the stage under way. */
    percent: integer().notNull().default(10_000),
    /** Customers it is meant for; empty: every customer the version reaches. */
    tenantIds: integer().array().notNull().default(sql`'{}'`),
    /** Device groups it is meant for; empty: all devices. */
    groupIds: integer().array().notNull().default(sql`'{}'`),
    startTime: moment(),
    endTime: moment(),
    /** Daily window in minutes after midnight of the console's zone; both null: all day. May reach over midnight. */
    dailyStart: smallint(),
    dailyEnd: smallint(),
    /** The device's user has to agree first (hawkBit's confirmation). */
    needConfirm: boolean().notNull().default(false),
    /** Downloads of this version at once over all processes; null: no limit of its own. */
    maxDownloads: integer(),
    /** Tasks handed out per minute; null: no limit. */
    perMinute: integer(),
    /** MB a second that all downloads of this version share on each process; null: no limit of its own. */
    bandwidth: integer(),
    /** A task silent for this long has failed. */
    timeoutMinutes: integer().notNull().default(1440),
    /** Times a failed device is offered the version again by itself. */
    autoRetries: smallint().notNull().default(0),
    submitBy: integer(),
    submitTime: moment(),
    auditBy: integer(),
    auditTime: moment(),
    auditRemark: varchar({ length: 200 }).notNull().default(''),
    ...audited,
  },
  (t) => [index('ota_policies_tenant').on(t.tenantId, t.otaId)],
)

/** Steps of a formal release. Each is evaluated once; what came of it stays here. */
export const otaStages = pgTable(
  'ota_stages',
  {
    otaId: integer().notNull(),
    seq: smallint().notNull(),
    /** Hundredths of a percent; grows from stage to stage. */
    percent: integer().notNull(),
    /** Percent of closed tasks that must have succeeded to go on; percent failed at which the release pauses itself. */
    successPercent: smallint().notNull().default(95),
    errorPercent: smallint().notNull().default(5),
    /** Closed tasks and minutes a stage needs before it is judged. */
    minReports: integer().notNull().default(20),
    minMinutes: integer().notNull().default(30),
    /** After so many minutes it is judged by whatever came: a stage of few devices never has enough results. */
    maxMinutes: integer().notNull().default(1440),
    /** 0 waiting, 1 running, 2 passed, 3 failed, 4 skipped by a person. */
    state: smallint().notNull().default(0),
    startTime: moment(),
    judgeTime: moment(),
    succeeded: integer(),
    failed: integer(),
  },
  (t) => [primaryKey({ name: 'ota_stages_pk', columns: [t.otaId, t.seq] })],
)

/**
 * How many tasks of a release were handed out in the minute under way, over all processes. Only for releases with such a
 * limit; its row is also what those wait for that begin a download of a release with a limit.
 */
export const otaPaces = pgTable('ota_paces', {
  otaId: integer().primaryKey(),
  since: moment().notNull().default(sql`now()`),
  handed: integer().notNull().default(0),
})

/** The devices a version is released to whatever its other rules say. */
export const otaWhites = pgTable(
  'ota_whites',
  {
    otaId: integer().notNull(),
    deviceId: integer().notNull(),
    createBy: integer(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ name: 'ota_whites_pk', columns: [t.otaId, t.deviceId] }),
    index('ota_whites_device').on(t.deviceId),
  ],
)

/**
 * One device taking one version. Made at the first poll that matches, never for a million devices at once. `task_id` is
 * what devices call the action id. One device has one open task a package: the index says so to every process.
 */
export const otaTasks = pgTable(
  'ota_tasks',
  {
    taskId: serial().primaryKey(),
    otaId: integer().notNull(),
    deviceId: integer().notNull(),
    /** Those of the device at that time. */
    tenantId: integer().notNull(),
    modelId: integer().notNull(),
    /** Empty for firmware; that of the version. */
    packageName: varchar({ length: 64 }).notNull().default(''),
    fromVerCode: integer(),
    verCode: integer().notNull(),
    /** A value of TASK_STATE in the contract. */
    state: smallint().notNull().default(0),
    /** 0-100 as far as the device tells. */
    progress: smallint().notNull().default(0),
    /** The device's last words; for a failed one its reason. */
    reason: varchar({ length: 500 }).notNull().default(''),
    code: integer(),
    attempt: smallint().notNull().default(1),
    /** A closed one that no longer keeps its device from being offered the version again. */
    retried: boolean().notNull().default(false),
    /** Pushed to this device by a person: rules of version, share and window do not apply. */
    pushed: boolean().notNull().default(false),
    createTime: moment().notNull().default(sql`now()`),
    updateTime: moment().notNull().default(sql`now()`),
    closeTime: moment(),
    changed: transactionId().notNull().default(sql`pg_current_xact_id()`),
  },
  (t) => [
    uniqueIndex('ota_tasks_open').on(t.deviceId, t.packageName).where(sql`close_time is null`),
    index('ota_tasks_version').on(t.otaId, t.state, t.taskId),
    index('ota_tasks_newest').on(t.otaId, t.taskId),
    index('ota_tasks_updated').on(t.otaId, t.updateTime.asc().nullsFirst(), t.taskId),
    index('ota_tasks_device').on(t.deviceId, t.taskId),
    index('ota_tasks_tenant').on(t.tenantId, t.taskId),
    index('ota_tasks_silent').on(t.updateTime).where(sql`close_time is null`),
    index('ota_tasks_changed').on(t.changed),
  ],
)

/** What a device said about a task, newest last; at most 1,000 of a task. */
export const otaTaskLogs = pgTable(
  'ota_task_logs',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    taskId: integer().notNull(),
    state: smallint().notNull(),
    /** As sent: `proceeding`, `closed`, …; empty when the server itself speaks. */
    execution: varchar({ length: 16 }).notNull().default(''),
    finished: varchar({ length: 8 }).notNull().default(''),
    code: integer(),
    details: text().array().notNull().default(sql`'{}'`),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [index('ota_task_logs_task').on(t.taskId, t.id)],
)

/**
 * The signed statement of what a version consists of; devices may check it before they install. Composed when the version
 * is enabled, or before that for a signature made elsewhere.
 */
export const otaManifests = pgTable(
  'ota_manifests',
  {
    otaId: integer().primaryKey(),
    tenantId: integer().notNull(),
    modelId: integer().notNull(),
    packageName: varchar({ length: 64 }).notNull().default(''),
    /** Grows within a model and package of a tenant: a device takes no statement older than the last it accepted. */
    release: integer().notNull(),
    /** Canonical JSON, byte for byte what was signed. */
    manifest: text().notNull(),
    /** Base64 of the Ed25519 signature; empty while it waits for one made elsewhere. */
    signature: varchar({ length: 100 }).notNull(),
    /** First 16 hex digits of the SHA-256 of the public key. */
    keyId: varchar({ length: 16 }).notNull(),
    /** False: made elsewhere and uploaded. */
    isOwn: boolean().notNull().default(true),
    expireTime: moment().notNull(),
    createBy: integer(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [uniqueIndex('ota_manifests_release').on(t.tenantId, t.modelId, t.packageName, t.release)],
)

/** Alarms of the upgrade side a person has to look at: a damaged file, a release that paused itself. */
export const otaAlarms = pgTable(
  'ota_alarms',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    otaId: integer().notNull(),
    /** 1 damaged component, 2 paused by its error threshold, 3 wrong digest reported by a device. */
    kind: smallint().notNull(),
    message: varchar({ length: 500 }).notNull(),
    facts: jsonb().$type<Record<string, unknown>>(),
    createTime: moment().notNull().default(sql`now()`),
    closeTime: moment(),
    closeBy: integer(),
  },
  (t) => [index('ota_alarms_open').on(t.tenantId, t.id).where(sql`close_time is null`)],
)
