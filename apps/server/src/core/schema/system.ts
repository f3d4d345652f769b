import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  serial,
  smallint,
  text,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'
import { audited, enabled, moment, remark, softDelete } from './columns.ts'

/** Directories (M), pages (C) and buttons (F) of the console. */
export const menus = pgTable(
  'menus',
  {
    id: serial().primaryKey(),
    parentId: integer().notNull().default(0),
    name: varchar({ length: 50 }).notNull(),
    type: varchar({ length: 1 }).notNull(),
    url: varchar({ length: 200 }).notNull().default(''),
    perms: varchar({ length: 100 }).notNull().default(''),
    icon: varchar({ length: 100 }).notNull().default(''),
    sort: integer().notNull().default(0),
    visible: smallint().notNull().default(1),
    status: enabled(),
    keepAlive: smallint().notNull().default(1),
    affix: smallint().notNull().default(0),
    /** 0 page of the console, 1 iframe, 2 new window. */
    isFrame: smallint().notNull().default(0),
    query: varchar({ length: 255 }).notNull().default(''),
    activeMenu: varchar({ length: 200 }).notNull().default(''),
    routeName: varchar({ length: 50 }).notNull().default(''),
    /** 1 for rows of the catalogue: url and permission are fixed, and the row cannot be deleted. */
    isBuiltin: smallint().notNull().default(0),
    remark: remark(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    index('menus_parent').on(t.parentId, t.sort, t.id),
    uniqueIndex('menus_url').on(t.url).where(sql`deleted_at is null and type = 'C'`),
    uniqueIndex('menus_perms').on(t.perms).where(sql`deleted_at is null and perms <> ''`),
  ],
)

export const dictTypes = pgTable(
  'dict_types',
  {
    dictId: serial().primaryKey(),
    dictName: varchar({ length: 100 }).notNull(),
    dictType: varchar({ length: 100 }).notNull(),
    status: enabled(),
    isBuiltin: smallint().notNull().default(0),
    /** Increases with every change of the type or its data. Used as the ETag of a cached dictionary. */
    version: integer().notNull().default(1),
    remark: varchar({ length: 500 }).notNull().default(''),
    ...audited,
    ...softDelete,
  },
  (t) => [uniqueIndex('dict_types_type').on(t.dictType).where(sql`deleted_at is null`)],
)

export const dictData = pgTable(
  'dict_data',
  {
    dictCode: serial().primaryKey(),
    dictType: varchar({ length: 100 }).notNull(),
    dictLabel: varchar({ length: 100 }).notNull(),
    dictValue: varchar({ length: 100 }).notNull(),
    dictSort: integer().notNull().default(0),
    listClass: varchar({ length: 20 }).notNull().default('default'),
    cssClass: varchar({ length: 100 }).notNull().default(''),
    isDefault: varchar({ length: 1 }).notNull().default('N'),
    isBuiltin: smallint().notNull().default(0),
    status: enabled(),
    remark: varchar({ length: 500 }).notNull().default(''),
    ...audited,
    ...softDelete,
  },
  (t) => [
    uniqueIndex('dict_data_value').on(t.dictType, t.dictValue).where(sql`deleted_at is null`),
    index('dict_data_sort').on(t.dictType, t.dictSort, t.dictCode),
  ],
)

export const notices = pgTable(
  'notices',
  {
    noticeId: serial().primaryKey(),
    tenantId: integer().notNull(),
    title: varchar({ length: 50 }).notNull(),
    type: smallint().notNull().default(1),
    /** Subject of a system message, `NOTICE_TOPIC`; empty for notices that an account wrote. */
    topic: varchar({ length: 12 }).notNull().default(''),
    content: text().notNull().default(''),
    summary: varchar({ length: 200 }).notNull().default(''),
    priority: smallint().notNull().default(2),
    /** 1 all, 2 tenants, 3 roles, 4 accounts; `targetIds` contains the ids. */
    target: smallint().notNull().default(1),
    targetIds: integer().array().notNull().default(sql`'{}'`),
    startTime: moment(),
    endTime: moment(),
    isTop: smallint().notNull().default(0),
    needConfirm: smallint().notNull().default(0),
    attachments: jsonb().$type<{ id: string; name: string; size: number }[]>().notNull().default([]),
    /** 0 draft, 1 published, 2 withdrawn. */
    status: smallint().notNull().default(0),
    publishTime: moment(),
    publisher: integer(),
    ...audited,
    ...softDelete,
  },
  (t) => [
    index('notices_publish').on(t.status, t.publishTime, t.noticeId),
    index('notices_tenant').on(t.tenantId, t.noticeId),
    index('notices_publish_time').on(t.publishTime.asc().nullsFirst(), t.noticeId),
    // Index for inboxes. It excludes notices to single accounts, which may be many.
    index('notices_live').on(t.target, t.tenantId).where(sql`status = 1 and deleted_at is null`),
    index('notices_targets').using('gin', t.targetIds).where(sql`status = 1 and deleted_at is null`),
  ],
)

export const noticeReads = pgTable(
  'notice_reads',
  {
    noticeId: integer().notNull(),
    uid: integer().notNull(),
    readTime: moment().notNull().default(sql`now()`),
    confirmTime: moment(),
  },
  (t) => [primaryKey({ name: 'notice_reads_pk', columns: [t.noticeId, t.uid] }), index('notice_reads_uid').on(t.uid)],
)

/** A changed field in the operation log. Secrets are masked before they are stored. */
export interface FieldChange {
  field: string
  title: string
  from: unknown
  to: unknown
}

/** The tables `oper_logs` and `login_logs` are partitioned by month; see the migration. */
export const operLogs = pgTable(
  'oper_logs',
  {
    operId: bigserial({ mode: 'number' }).notNull(),
    operTime: moment().notNull().default(sql`now()`),
    tenantId: integer(),
    uid: integer(),
    operName: varchar({ length: 50 }).notNull().default(''),
    title: varchar({ length: 50 }).notNull(),
    businessType: smallint().notNull().default(0),
    bizType: varchar({ length: 50 }).notNull().default(''),
    bizId: varchar({ length: 64 }).notNull().default(''),
    action: varchar({ length: 500 }).notNull().default(''),
    diff: jsonb().$type<FieldChange[]>().notNull().default([]),
    requestMethod: varchar({ length: 10 }).notNull(),
    operUrl: varchar({ length: 255 }).notNull(),
    operIp: varchar({ length: 45 }).notNull(),
    userAgent: varchar({ length: 512 }).notNull().default(''),
    operParam: varchar({ length: 2000 }).notNull().default(''),
    jsonResult: varchar({ length: 500 }).notNull().default(''),
    status: smallint().notNull().default(1),
    errorMsg: varchar({ length: 2000 }).notNull().default(''),
    traceId: varchar({ length: 64 }).notNull().default(''),
    costTime: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ name: 'oper_logs_pk', columns: [t.operTime, t.operId] }),
    index('oper_logs_id').on(t.operId),
    index('oper_logs_biz').on(t.bizType, t.bizId, t.operTime),
    index('oper_logs_uid').on(t.uid, t.operTime),
    index('oper_logs_name').on(t.operName, t.operTime),
    index('oper_logs_tenant').on(t.tenantId, t.operTime),
  ],
)

export const loginLogs = pgTable(
  'login_logs',
  {
    infoId: bigserial({ mode: 'number' }).notNull(),
    loginTime: moment().notNull().default(sql`now()`),
    account: varchar({ length: 64 }).notNull(),
    uid: integer(),
    tenantId: integer(),
    /** 1 password, 2 code, 3 refresh, 4 ended by force, 5 logout. */
    loginType: smallint().notNull().default(1),
    ip: varchar({ length: 45 }).notNull(),
    browser: varchar({ length: 50 }).notNull().default(''),
    os: varchar({ length: 50 }).notNull().default(''),
    userAgent: varchar({ length: 512 }).notNull().default(''),
    status: smallint().notNull().default(1),
    msg: varchar({ length: 255 }).notNull().default(''),
  },
  (t) => [
    primaryKey({ name: 'login_logs_pk', columns: [t.loginTime, t.infoId] }),
    index('login_logs_id').on(t.infoId),
    index('login_logs_account').on(t.account, t.loginTime),
    index('login_logs_tenant').on(t.tenantId, t.loginTime),
  ],
)

/** Files by random id. Contents are addressed by SHA-256 and may be shared by several rows. */
export const files = pgTable(
  'files',
  {
    id: varchar({ length: 32 }).primaryKey(),
    tenantId: integer(),
    uid: integer(),
    purpose: varchar({ length: 20 }).notNull(),
    name: varchar({ length: 200 }).notNull(),
    mime: varchar({ length: 100 }).notNull().default('application/octet-stream'),
    size: bigint({ mode: 'number' }).notNull(),
    md5: varchar({ length: 32 }).notNull(),
    sha1: varchar({ length: 40 }).notNull(),
    sha256: varchar({ length: 64 }).notNull(),
    createTime: moment().notNull().default(sql`now()`),
    /** Time when a saved record began to use the file. Unused rows are deleted after a day. */
    usedTime: moment(),
  },
  (t) => [
    index('files_sha256').on(t.sha256),
    index('files_unused').on(t.createTime).where(sql`used_time is null`),
    index('files_tenant').on(t.tenantId, t.id),
  ],
)

/** Running resumable uploads. Their parts are in the part store. */
export const uploads = pgTable(
  'uploads',
  {
    id: varchar({ length: 32 }).primaryKey(),
    tenantId: integer(),
    uid: integer().notNull(),
    purpose: varchar({ length: 20 }).notNull(),
    name: varchar({ length: 200 }).notNull(),
    size: bigint({ mode: 'number' }).notNull(),
    fingerprint: varchar({ length: 200 }).notNull(),
    createTime: moment().notNull().default(sql`now()`),
    updateTime: moment().notNull().default(sql`now()`),
  },
  (t) => [uniqueIndex('uploads_fingerprint').on(t.uid, t.fingerprint), index('uploads_update').on(t.updateTime)],
)

/** Responses of mutations with an `Idempotency-Key`, kept for 24 hours. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    uid: integer().notNull(),
    key: varchar({ length: 255 }).notNull(),
    /** SHA-256 of method, path and body. The same key with another request is refused. */
    requestHash: varchar({ length: 64 }).notNull(),
    answer: jsonb(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ name: 'idempotency_keys_pk', columns: [t.uid, t.key] }),
    index('idempotency_keys_time').on(t.createTime),
  ],
)

/** Background jobs shown to users, and failed runs of scheduled jobs. The queue itself is pg-boss. */
export const jobs = pgTable(
  'jobs',
  {
    jobId: serial().primaryKey(),
    kind: varchar({ length: 50 }).notNull(),
    title: varchar({ length: 100 }).notNull().default(''),
    uid: integer(),
    tenantId: integer(),
    payload: jsonb().notNull().default({}),
    /** waiting | running | done | failed | cancelled */
    state: varchar({ length: 10 }).notNull().default('waiting'),
    percent: smallint().notNull().default(0),
    result: jsonb(),
    error: varchar({ length: 500 }).notNull().default(''),
    uniqueKey: varchar({ length: 100 }),
    /** Increases with each run. A run with an older number has lost the job to another process. */
    attempts: smallint().notNull().default(0),
    queueId: uuid(),
    createTime: moment().notNull().default(sql`now()`),
    finishTime: moment(),
  },
  (t) => [
    index('jobs_open').on(t.jobId).where(sql`state in ('waiting', 'running')`),
    index('jobs_uid').on(t.uid, t.jobId),
    uniqueIndex('jobs_unique').on(t.uniqueKey).where(sql`state in ('waiting', 'running')`),
  ],
)

/** Values of the installation that several processes share. */
export const settings = pgTable('settings', {
  key: varchar({ length: 50 }).primaryKey(),
  value: jsonb().notNull(),
  updateTime: moment().notNull().default(sql`now()`),
  /** Last editor, for values that a form saves. */
  updateBy: integer(),
  rev: integer().notNull().default(0),
})

/**
 * Claims of file content that is about to be stored. Stored bytes without a row in `files` are kept for a day after
 * their claim.
 */
export const fileClaims = pgTable('file_claims', {
  sha256: varchar({ length: 64 }).primaryKey(),
  claimTime: moment().notNull().default(sql`now()`),
})
