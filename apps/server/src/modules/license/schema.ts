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
import { audited, moment, remark } from '#core/schema/columns.ts'

/** Batches of certificates, each imported from one vendor file. */
export const licenseBatches = pgTable(
  'license_batches',
  {
    id: serial().primaryKey(),
    batchNo: varchar({ length: 32 }).notNull(),
    vendor: smallint().notNull(),
    orderNo: varchar({ length: 50 }).notNull().default(''),
    fileName: varchar({ length: 255 }).notNull().default(''),
    /** SHA-256 of the file in hex. A file can be imported only once. */
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
    /** UID in canonical spelling. Compared byte by byte (collation "C", migration), so that ranges are contiguous. */
    uid: varchar({ length: 64 }).notNull(),
    /** 1 TUTK, 2 PPCS, 3 iLnk, 4 own, 9 other. */
    vendor: smallint().notNull(),
    /** Licensed feature as named in grants: `P2P`, `480P`. */
    typeCode: varchar({ length: 32 }).notNull(),
    /** Vendor's key of the certificate, encrypted; empty: no key. */
    keySealed: text().notNull().default(''),
    batchId: integer().notNull(),
    /** Null: in the platform's stock. */
    tenantId: integer(),
    /** Model of the devices that may use the certificate; null: any model. */
    modelId: integer(),
    deviceId: integer(),
    /** Grant that the allotment was counted against. */
    grantId: integer(),
    /** 0 in stock, 1 allotted, 2 bound, 3 activated, 4 suspended, 5 expired, 6 scrapped. */
    state: smallint().notNull().default(0),
    importTime: moment().notNull().default(sql`now()`),
    allotTime: moment(),
    bindTime: moment(),
    activateTime: moment(),
    expireTime: moment(),
    /** Days before expiry of the last warning: 30 or 7. */
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

/** Append-only history of each certificate. */
export const licenseEvents = pgTable(
  'license_events',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    licenseId: integer().notNull(),
    /** Action: `import`, `allot`, `reveal`… */
    action: varchar({ length: 16 }).notNull(),
    fromState: smallint(),
    toState: smallint().notNull(),
    /** Tenant that owns the certificate after or before the action; null: the platform's stock. */
    tenantId: integer(),
    deviceId: integer(),
    deviceSn: varchar({ length: 64 }).notNull().default(''),
    /** Account that acted; null: the device itself or a scheduled job. */
    uid: integer(),
    operName: varchar({ length: 30 }).notNull().default(''),
    reason: varchar({ length: 200 }).notNull().default(''),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [index('license_events_license').on(t.licenseId, t.id)],
)

/** Number of certificates of a type that a tenant may be allotted, and the end of this right. */
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

/** Changes of each grant's balance. A trigger refuses updates and deletions. */
export const licenseLedger = pgTable(
  'license_ledger',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    grantId: integer().notNull(),
    tenantId: integer().notNull(),
    /** 1 issued, 2 quota added, 3 allotted, 4 returned, 5 revoked. */
    kind: smallint().notNull(),
    amount: integer().notNull(),
    /** Remaining quota after the change. */
    balance: integer().notNull(),
    uid: integer(),
    operName: varchar({ length: 30 }).notNull().default(''),
    reason: varchar({ length: 200 }).notNull().default(''),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [index('license_ledger_grant').on(t.grantId, t.id), check('license_ledger_balance', sql`balance >= 0`)],
)

/**
 * Number of certificates of each kind, stored as additions and subtractions. Triggers append rows and a job combines
 * them. The sum is always exact, and writers never wait for each other.
 */
export const licenseCounts = pgTable('license_counts', {
  id: bigserial({ mode: 'number' }).primaryKey(),
  /** Tenant id; 0: in stock. */
  tenantId: integer().notNull(),
  vendor: smallint().notNull(),
  typeCode: varchar({ length: 32 }).notNull(),
  batchId: integer().notNull(),
  /** Model id; 0: any model. */
  modelId: integer().notNull(),
  state: smallint().notNull(),
  /** First day of the month of expiry; null: never. */
  expireMonth: date({ mode: 'string' }),
  n: integer().notNull(),
})

/** Number of allotted (minus returned) and activated certificates per day. Maintained like `license_counts`. */
export const licenseFlows = pgTable('license_flows', {
  id: bigserial({ mode: 'number' }).primaryKey(),
  day: date({ mode: 'string' }).notNull(),
  tenantId: integer().notNull(),
  vendor: smallint().notNull(),
  typeCode: varchar({ length: 32 }).notNull(),
  batchId: integer().notNull(),
  modelId: integer().notNull(),
  /** 1 allotted, 3 activated: the new state. */
  kind: smallint().notNull(),
  n: integer().notNull(),
})

/** Stock level per vendor below which staff are warned. */
export const licenseThresholds = pgTable('license_thresholds', {
  vendor: smallint().primaryKey(),
  /** 0: no warning. */
  threshold: integer().notNull().default(0),
  /** 1 after the warning was sent, until the stock is sufficient again. */
  warned: smallint().notNull().default(0),
  updateBy: integer(),
  updateTime: moment().notNull().default(sql`now()`),
})

/**
 * Number of unused certificates below which a tenant is warned. Without a row: a share of its received certificates.
 */
export const licenseTenantThresholds = pgTable('license_tenant_thresholds', {
  tenantId: integer().primaryKey(),
  /** Null: the default share; 0: no warning. */
  threshold: integer(),
  /** 1 after the warning was sent, until the stock is sufficient again. */
  warned: smallint().notNull().default(0),
  updateBy: integer(),
  updateTime: moment().notNull().default(sql`now()`),
})
