import { sql } from 'drizzle-orm'
import {
  bigserial,
  check,
  date,
  index,
  integer,
  pgTable,
  serial,
  smallint,
  text,
  uniqueIndex,
  varchar,
} from 'drizzle-orm/pg-core'
import { audited, moment, remark } from './columns.ts'

/** One delivery of a vendor: the certificates of one imported file. */
export const licenseBatches = pgTable(
  'license_batches',
  {
    id: serial().primaryKey(),
    batchNo: varchar({ length: 32 }).notNull(),
    vendor: smallint().notNull(),
    orderNo: varchar({ length: 50 }).notNull().default(''),
    fileName: varchar({ length: 255 }).notNull().default(''),
    /** SHA-256 of the file in hex: the same file is taken once. */
    fileHash: varchar({ length: 64 }),
    total: integer().notNull().default(0),
    remark: remark(),
    createBy: integer(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    uniqueIndex('license_batches_no').on(t.batchNo),
    uniqueIndex('license_batches_file').on(t.fileHash),
    index('license_batches_vendor').on(t.vendor, t.id),
  ],
)

/** P2P certificates: one UID each, never deleted. */
export const licenses = pgTable(
  'licenses',
  {
    id: serial().primaryKey(),
    /** In its canonical spelling; compared byte by byte (collation "C", migration), so that ranges are ranges. */
    uid: varchar({ length: 64 }).notNull(),
    /** 1 TUTK, 2 PPCS, 3 iLnk, 4 own, 9 other. */
    vendor: smallint().notNull(),
    /** What it licenses, as grants name it: `P2P`, `480P`. */
    typeCode: varchar({ length: 32 }).notNull(),
    /** The vendor's key for it, sealed; empty: there is none. */
    keySealed: text().notNull().default(''),
    batchId: integer().notNull(),
    /** Null: in the vendor's stock. */
    tenantId: integer(),
    /** Only devices of this model may carry it; null: any. */
    modelId: integer(),
    deviceId: integer(),
    /** The grant its allotment was counted against. */
    grantId: integer(),
    /** 0 in stock, 1 allotted, 2 bound, 3 activated, 4 suspended, 5 expired, 6 scrapped. */
    state: smallint().notNull().default(0),
    importTime: moment().notNull().default(sql`now()`),
    allotTime: moment(),
    bindTime: moment(),
    activateTime: moment(),
    expireTime: moment(),
    /** The nearest warning already given before it expires: 30 or 7 days. */
    warnedDays: smallint(),
    remark: remark(),
    updateBy: integer(),
    updateTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    uniqueIndex('licenses_uid').on(t.uid),
    uniqueIndex('licenses_device').on(t.deviceId).where(sql`device_id is not null`),
    index('licenses_stock').on(t.vendor, t.typeCode, t.id).where(sql`state = 0`),
    index('licenses_batch').on(t.batchId, t.id),
    index('licenses_tenant').on(t.tenantId, t.id),
    index('licenses_model').on(t.modelId, t.id),
    index('licenses_state').on(t.state, t.id),
    index('licenses_vendor').on(t.vendor, t.id),
    index('licenses_allotted').on(t.allotTime, t.id).where(sql`allot_time is not null`),
    index('licenses_activated').on(t.activateTime, t.id).where(sql`activate_time is not null`),
    index('licenses_expire').on(t.expireTime, t.id).where(sql`expire_time is not null`),
    check('licenses_state_known', sql`state between 0 and 6`),
    check('licenses_stock_free', sql`state <> 0 or (tenant_id is null and device_id is null)`),
    check('licenses_bound', sql`state not in (2, 3) or (tenant_id is not null and device_id is not null)`),
  ],
)

/** Everything that ever happened to each certificate; only added to. */
export const licenseEvents = pgTable(
  'license_events',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    licenseId: integer().notNull(),
    /** What was done: `import`, `allot`, `reveal`… */
    action: varchar({ length: 16 }).notNull(),
    fromState: smallint(),
    toState: smallint().notNull(),
    /** Whose it was or became; null: the vendor's stock. */
    tenantId: integer(),
    deviceId: integer(),
    deviceSn: varchar({ length: 64 }).notNull().default(''),
    /** Null: the device itself, or the clock. */
    uid: integer(),
    operName: varchar({ length: 30 }).notNull().default(''),
    reason: varchar({ length: 200 }).notNull().default(''),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [index('license_events_license').on(t.licenseId, t.id)],
)

/** How many certificates of a type a customer may be allotted, and until when. */
export const licenseGrants = pgTable(
  'license_grants',
  {
    id: serial().primaryKey(),
    grantNo: varchar({ length: 20 }).notNull(),
    tenantId: integer().notNull(),
    typeCode: varchar({ length: 32 }).notNull(),
    /** Null: for devices of any model. */
    modelId: integer(),
    quota: integer().notNull(),
    used: integer().notNull().default(0),
    validFrom: date({ mode: 'string' }).notNull(),
    validTo: date({ mode: 'string' }).notNull(),
    /** 0 pending, 1 effective, 2 exhausted, 3 expired, 4 revoked, 5 rejected. */
    status: smallint().notNull().default(0),
    contractNo: varchar({ length: 50 }).notNull().default(''),
    remark: remark(),
    applyBy: integer(),
    applyName: varchar({ length: 30 }).notNull().default(''),
    auditBy: integer(),
    auditName: varchar({ length: 30 }).notNull().default(''),
    auditTime: moment(),
    auditRemark: varchar({ length: 200 }).notNull().default(''),
    ...audited,
  },
  (t) => [
    uniqueIndex('license_grants_no').on(t.grantNo),
    index('license_grants_tenant').on(t.tenantId, t.id),
    index('license_grants_type').on(t.tenantId, t.typeCode, t.status),
    index('license_grants_status').on(t.status, t.id),
    index('license_grants_valid').on(t.validTo, t.id),
    check('license_grants_used', sql`used >= 0 and used <= quota`),
  ],
)

/** What changed the balance of each grant; a trigger refuses changes and deletions. */
export const licenseLedger = pgTable(
  'license_ledger',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    grantId: integer().notNull(),
    tenantId: integer().notNull(),
    /** 1 issued, 2 quota added, 3 allotted, 4 given back, 5 revoked. */
    kind: smallint().notNull(),
    amount: integer().notNull(),
    /** What may still be allotted after it. */
    balance: integer().notNull(),
    uid: integer(),
    operName: varchar({ length: 30 }).notNull().default(''),
    reason: varchar({ length: 200 }).notNull().default(''),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [index('license_ledger_grant').on(t.grantId, t.id), check('license_ledger_balance', sql`balance >= 0`)],
)

/**
 * How many certificates there are of each kind, as additions and subtractions that triggers append and a job folds
 * together: the sum is exact at any moment, and nobody waits for anybody.
 */
export const licenseCounts = pgTable('license_counts', {
  id: bigserial({ mode: 'number' }).primaryKey(),
  /** 0: in stock. */
  tenantId: integer().notNull(),
  vendor: smallint().notNull(),
  typeCode: varchar({ length: 32 }).notNull(),
  batchId: integer().notNull(),
  /** 0: any. */
  modelId: integer().notNull(),
  state: smallint().notNull(),
  /** First day of the month it expires in; null: never. */
  expireMonth: date({ mode: 'string' }),
  n: integer().notNull(),
})

/** How many were allotted (less those taken back) and activated each day; kept like `license_counts`. */
export const licenseFlows = pgTable('license_flows', {
  id: bigserial({ mode: 'number' }).primaryKey(),
  day: date({ mode: 'string' }).notNull(),
  tenantId: integer().notNull(),
  vendor: smallint().notNull(),
  typeCode: varchar({ length: 32 }).notNull(),
  batchId: integer().notNull(),
  modelId: integer().notNull(),
  /** 1 allotted, 3 activated: the state that was reached. */
  kind: smallint().notNull(),
  n: integer().notNull(),
})

/** From what stock on people are warned, for each vendor. */
export const licenseThresholds = pgTable('license_thresholds', {
  vendor: smallint().primaryKey(),
  /** 0: never. */
  threshold: integer().notNull().default(0),
  /** 1 once people were told, until there is enough again. */
  warned: smallint().notNull().default(0),
  updateBy: integer(),
  updateTime: moment().notNull().default(sql`now()`),
})

/** From how many unused certificates on a customer is warned that its own run low. No row: a share of what it received. */
export const licenseTenantThresholds = pgTable('license_tenant_thresholds', {
  tenantId: integer().primaryKey(),
  /** Null: the share; 0: never. */
  threshold: integer(),
  /** 1 once people were told, until there are enough again. */
  warned: smallint().notNull().default(0),
  updateBy: integer(),
  updateTime: moment().notNull().default(sql`now()`),
})
