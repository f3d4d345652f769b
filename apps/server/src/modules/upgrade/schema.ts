import type { ReleaseInput } from '@oms/contract/upgrade/upgrade-release.ts'
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
  bigint,
  timestamp,
} from 'drizzle-orm/pg-core'
import type * as z from 'zod'
import { audited, moment, transactionId, remark, softDelete, blocksDeletion } from '#core/schema/columns.ts'
import { deviceModels } from '#modules/device/schema.ts'

/** A change that waits for approval: another rollout percentage, or a whole plan. */
export interface PendingRelease {
  readonly percent: number
  readonly plan?: {
    readonly fields: Partial<typeof otaPolicies.$inferInsert>
    readonly stages: z.output<typeof ReleaseInput>['stages']
  }
}

/**
 * Releases of enabled versions. Enabling a version creates its test release. Until the formal release, only devices of
 * the allowlist receive the version.
 */
export const otaPolicies = pgTable(
  'ota_policies',
  {
    otaId: integer().primaryKey(),
    /** Tenant of the version. */
    tenantId: integer().notNull(),
    /** 1 test release: allowlist only; 2 formal release: allowlist always, other devices by the rules below. */
    mode: smallint().notNull().default(1),
    /** 0 running, 1 waiting for approval, 2 rejected, 3 paused, 4 stopped for ever. */
    state: smallint().notNull().default(0),
    /** Chinese reason of the pause or rejection. */
    stateReason: varchar({ length: 200 }).notNull().default(''),
    /** Rollout percentage in hundredths of a percent, 0-10,000. With stages, the percentage of the running stage. */
    percent: integer().notNull().default(10_000),
    /** Tenants that receive the release; empty: all tenants of the version. */
    tenantIds: integer().array().notNull().default(sql`'{}'`),
    /** Device groups that receive the release; empty: all devices. */
    groupIds: integer().array().notNull().default(sql`'{}'`),
    startTime: moment(),
    endTime: moment(),
    /**
     * Daily window in minutes after midnight in the console's time zone; both null: all day. The window may include
     * midnight.
     */
    dailyStart: smallint(),
    dailyEnd: smallint(),
    /** True when the device's user must agree first (hawkBit's confirmation). */
    needConfirm: boolean().notNull().default(false),
    /** Maximum concurrent downloads of this version over all processes; null: no limit. */
    maxDownloads: integer(),
    /** Maximum new tasks per minute; null: no limit. */
    perMinute: integer(),
    /** MB per second shared by all downloads of this version in each process; null: no limit. */
    bandwidth: integer(),
    /** Minutes without a report after which a task fails. */
    timeoutMinutes: integer().notNull().default(1440),
    /** Number of automatic retries after a failed task. */
    autoRetries: smallint().notNull().default(0),
    /** A change of an approved release that waits for approval. Devices follow the columns above until then. */
    pending: jsonb().$type<PendingRelease>(),
    submitBy: integer(),
    submitTime: moment(),
    auditBy: integer(),
    auditTime: moment(),
    auditRemark: varchar({ length: 200 }).notNull().default(''),
    ...audited,
  },
  (t) => [index('ota_policies_tenant').on(t.tenantId, t.otaId)],
)

/** Stages of a formal release. Each stage is evaluated once; its result is stored here. */
export const otaStages = pgTable(
  'ota_stages',
  {
    otaId: integer().notNull(),
    seq: smallint().notNull(),
    /** Hundredths of a percent. Increases from stage to stage. */
    percent: integer().notNull(),
    /** Success percentage of closed tasks needed to continue, and failure percentage that pauses the release. */
    successPercent: smallint().notNull().default(95),
    errorPercent: smallint().notNull().default(5),
    /** Minimum number of closed tasks and minutes before a stage is evaluated. */
    minReports: integer().notNull().default(20),
    minMinutes: integer().notNull().default(30),
    /**
     * Minutes after which the stage is evaluated with any number of results. A stage of few devices may never have
     * enough results.
     */
    maxMinutes: integer().notNull().default(1440),
    /** 0 waiting, 1 running, 2 passed, 3 failed, 4 skipped by an account. */
    state: smallint().notNull().default(0),
    startTime: moment(),
    judgeTime: moment(),
    succeeded: integer(),
    failed: integer(),
  },
  (t) => [primaryKey({ name: 'ota_stages_pk', columns: [t.otaId, t.seq] })],
)

/**
 * Number of tasks created in the present minute over all processes, for releases with such a limit. Starting downloads
 * of a release with a download limit also lock this row.
 */
export const otaPaces = pgTable('ota_paces', {
  otaId: integer().primaryKey(),
  since: moment().notNull().default(sql`now()`),
  handed: integer().notNull().default(0),
})

/** Allowlist: devices that receive a version independently of the other rules. */
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
 * Upgrade tasks: one device, one version. The first matching poll creates the task, so that no release creates a
 * million tasks at once. Devices use `task_id` as action id. A unique index allows one open task per device and
 * package.
 */
export const otaTasks = pgTable(
  'ota_tasks',
  {
    taskId: serial().primaryKey(),
    otaId: integer().notNull(),
    deviceId: integer().notNull(),
    /** Tenant and model of the device at that time. */
    tenantId: integer().notNull(),
    modelId: integer().notNull(),
    /** Package name of the version; empty for firmware. */
    packageName: varchar({ length: 64 }).notNull().default(''),
    fromVerCode: integer(),
    verCode: integer().notNull(),
    /** A value of TASK_STATE in the contract. */
    state: smallint().notNull().default(0),
    /** Progress 0-100 as reported by the device. */
    progress: smallint().notNull().default(0),
    /** Last message of the device; for a failed task, the reason. */
    reason: varchar({ length: 500 }).notNull().default(''),
    /** Result code as the device sent it: a number of any size, or a word. */
    code: varchar({ length: 32 }),
    attempt: smallint().notNull().default(1),
    /** True for a closed task that no longer prevents offering the version to the device again. */
    retried: boolean().notNull().default(false),
    /**
     * True when an account pushed the task to this device. Rules of version, rollout percentage and window do not
     * apply.
     */
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
    index('ota_tasks_updated').on(t.otaId, t.updateTime, t.taskId),
    index('ota_tasks_device').on(t.deviceId, t.taskId),
    index('ota_tasks_tenant').on(t.tenantId, t.taskId),
    index('ota_tasks_silent').on(t.updateTime).where(sql`close_time is null`),
    index('ota_tasks_changed').on(t.changed),
  ],
)

/** Reports of a device about a task, newest last, at most 1,000 per task. */
export const otaTaskLogs = pgTable(
  'ota_task_logs',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    taskId: integer().notNull(),
    state: smallint().notNull(),
    /** Execution state as sent: `proceeding`, `closed`, …; empty for messages of the server. */
    execution: varchar({ length: 16 }).notNull().default(''),
    finished: varchar({ length: 8 }).notNull().default(''),
    code: varchar({ length: 32 }),
    details: text().array().notNull().default(sql`'{}'`),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [index('ota_task_logs_task').on(t.taskId, t.id)],
)

/**
 * Signed manifests of the contents of versions. Devices may verify a manifest before installing. Created when a version
 * is enabled, or earlier for an external signature.
 */
export const otaManifests = pgTable(
  'ota_manifests',
  {
    otaId: integer().primaryKey(),
    tenantId: integer().notNull(),
    modelId: integer().notNull(),
    packageName: varchar({ length: 64 }).notNull().default(''),
    /**
     * Increases within a model and package of a tenant. A device accepts no manifest older than the last accepted one.
     */
    release: integer().notNull(),
    /** Canonical JSON, exactly the signed bytes. */
    manifest: text().notNull(),
    /** Base64 of the Ed25519 signature; empty while waiting for an external signature. */
    signature: varchar({ length: 100 }).notNull(),
    /** First 16 hex digits of the SHA-256 of the public key. */
    keyId: varchar({ length: 16 }).notNull(),
    /** False: signed externally and uploaded. */
    isOwn: boolean().notNull().default(true),
    expireTime: moment().notNull(),
    createBy: integer(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [uniqueIndex('ota_manifests_release').on(t.tenantId, t.modelId, t.packageName, t.release)],
)

/** Alarms about upgrades that staff must check: a damaged file, an automatically paused release. */
export const otaAlarms = pgTable(
  'ota_alarms',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    otaId: integer().notNull(),
    /** 1 damaged component, 2 paused by the error threshold, 3 wrong digest reported by a device, 4 rolled-back device. */
    kind: smallint().notNull(),
    message: varchar({ length: 500 }).notNull(),
    facts: jsonb().$type<Record<string, unknown>>(),
    createTime: moment().notNull().default(sql`now()`),
    closeTime: moment(),
    closeBy: integer(),
  },
  (t) => [index('ota_alarms_open').on(t.tenantId, t.id).where(sql`close_time is null`)],
)

/**
 * Versions of a model's firmware and of its software packages. Number, model, package and components of an enabled
 * version are immutable. To change a component, create a new version.
 */
export const otaVersions = pgTable(
  'ota_versions',
  {
    otaId: serial().primaryKey(),
    tenantId: integer().notNull(),
    /** 0 in a draft without a model. A null would let two such drafts have the same number. */
    modelId: integer().notNull(),
    /** 1 firmware, 2 software package. */
    kind: smallint().notNull().default(1),
    /** Name of the software package; empty for firmware. */
    packageName: varchar({ length: 64 }).notNull().default(''),
    verCode: integer().notNull(),
    verName: varchar({ length: 32 }).notNull(),
    /** Local times of the console's time zone, as the user typed them. */
    buildDate: timestamp({ mode: 'string' }),
    releaseDate: timestamp({ mode: 'string' }).notNull(),
    description: varchar({ length: 500 }).notNull().default(''),
    /** Closed range of device versions that may receive this version; null is an open end. */
    oldVerMin: integer(),
    oldVerMax: integer(),
    components: smallint().notNull().default(0),
    /** 0 draft, 1 enabled, 2 disabled after being enabled. */
    status: smallint().notNull().default(0),
    enableTime: moment(),
    enableBy: integer(),
    remark: remark(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('ota_versions_code').on(t.tenantId, t.modelId, t.packageName, t.verCode).where(sql`deleted_at is null`),
    index('ota_versions_tenant').on(t.tenantId, t.otaId),
    // Contains the kind and excludes deleted rows, so that counts only read the index.
    index('ota_versions_model').on(t.modelId, t.kind, t.otaId).where(sql`deleted_at is null`),
    // A list shows one kind.
    index('ota_versions_kind').on(t.kind, t.otaId),
    index('ota_versions_release').on(t.kind, t.releaseDate, t.otaId),
    index('ota_versions_number').on(t.kind, t.verCode, t.otaId),
    index('ota_versions_updated').on(t.kind, t.updateTime, t.otaId),
  ],
)
blocksDeletion(deviceModels, otaVersions.modelId, '个升级版本')

export const otaComponents = pgTable(
  'ota_components',
  {
    id: serial().primaryKey(),
    otaId: integer().notNull(),
    sort: smallint().notNull().default(0),
    name: varchar({ length: 15 }).notNull(),
    /** 1 description file, 2 firmware, 3 App, 4 model file, 5 License, 99 other. */
    type: smallint().notNull().default(1),
    fileId: varchar({ length: 32 }).notNull(),
    fileName: varchar({ length: 200 }).notNull(),
    url: varchar({ length: 255 }).notNull(),
    size: bigint({ mode: 'number' }).notNull(),
    md5: varchar({ length: 32 }).notNull(),
    sha1: varchar({ length: 40 }).notNull(),
    sha256: varchar({ length: 64 }).notNull(),
  },
  (t) => [index('ota_components_version').on(t.otaId, t.sort), index('ota_components_file').on(t.fileId)],
)
