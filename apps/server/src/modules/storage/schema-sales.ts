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
  bigint,
  jsonb,
} from 'drizzle-orm/pg-core'
import { audited, bytea, enabled, moment, remark, tenantPolicy } from '#core/schema/columns.ts'

/** Number of copies of a package that the staff of a tenant may open. */
export const ossAllowances = pgTable(
  'oss_allowances',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    packageId: integer().notNull(),
    quota: integer().notNull(),
    used: integer().notNull().default(0),
    remark: remark(),
    ...audited,
  },
  (t) => [
    uniqueIndex('oss_allowances_package').on(t.tenantId, t.packageId),
    index('oss_allowances_created').on(t.createTime, t.id),
    check('oss_allowances_used', sql`used >= 0 and used <= quota`),
    tenantPolicy(),
  ],
)

/** Changes of each allowance. Append-only; `balance` is the remaining number after the change. */
export const ossAllowanceLedger = pgTable(
  'oss_allowance_ledger',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    allowanceId: integer().notNull(),
    tenantId: integer().notNull(),
    /** 1 granted, 2 increased, 3 reduced, 4 used. */
    kind: smallint().notNull(),
    amount: integer().notNull(),
    balance: integer().notNull(),
    uid: integer(),
    operName: varchar({ length: 30 }).notNull().default(''),
    reason: varchar({ length: 200 }).notNull().default(''),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    index('oss_allowance_ledger_allowance').on(t.allowanceId, t.id),
    check('oss_allowance_ledger_balance', sql`balance >= 0`),
    tenantPolicy(),
  ],
)

/** Webhooks of shops. Both secrets are encrypted; the previous one stays valid until the next rotation. */
export const ossHooks = pgTable(
  'oss_hooks',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    hookName: varchar({ length: 50 }).notNull(),
    secretEncrypted: text().notNull(),
    /** Empty before the first rotation. */
    previousEncrypted: text().notNull().default(''),
    rotateTime: moment().notNull().default(sql`now()`),
    /** 1: the shop sets prices; 0: amounts must equal the prices of the packages. */
    priceFree: smallint().notNull().default(0),
    status: enabled(),
    remark: remark(),
    ...audited,
  },
  (t) => [index('oss_hooks_tenant').on(t.tenantId, t.id), tenantPolicy()],
)

/** Events that shops sent. A refused event is kept until it is replayed or sent again. */
export const ossHookEvents = pgTable(
  'oss_hook_events',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    tenantId: integer().notNull(),
    hookId: integer().notNull(),
    eventId: varchar({ length: 64 }).notNull(),
    type: varchar({ length: 32 }).notNull(),
    outOrderNo: varchar({ length: 64 }).notNull(),
    /** Serial numbers in the body. */
    sns: text().array().notNull().default(sql`'{}'`),
    body: text().notNull(),
    /** 1 processed, 2 refused. */
    result: smallint().notNull(),
    message: varchar({ length: 200 }).notNull().default(''),
    attempts: integer().notNull().default(1),
    createTime: moment().notNull().default(sql`now()`),
    updateTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    uniqueIndex('oss_hook_events_id').on(t.hookId, t.eventId),
    index('oss_hook_events_tenant').on(t.tenantId, t.id),
    index('oss_hook_events_order').on(t.hookId, t.outOrderNo),
    index('oss_hook_events_refused').on(t.hookId, t.id).where(sql`result = 2`),
    tenantPolicy(),
  ],
)

/** Orders of shops. Amounts are in fen. */
export const ossOrders = pgTable(
  'oss_orders',
  {
    id: serial().primaryKey(),
    orderNo: varchar({ length: 20 }).notNull(),
    outOrderNo: varchar({ length: 64 }).notNull(),
    tenantId: integer().notNull(),
    hookId: integer().notNull(),
    amount: integer().notNull(),
    refunded: integer().notNull().default(0),
    /** 0 unpaid, 1 paid, 2 partly refunded, 3 refunded, 4 closed. */
    payStatus: smallint().notNull().default(0),
    payTime: moment(),
    createTime: moment().notNull().default(sql`now()`),
    updateTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    uniqueIndex('oss_orders_no').on(t.orderNo),
    uniqueIndex('oss_orders_out').on(t.hookId, t.outOrderNo),
    index('oss_orders_tenant').on(t.tenantId, t.id),
    index('oss_orders_created').on(t.createTime, t.id),
    index('oss_orders_paid').on(t.payTime.asc().nullsFirst(), t.id),
    index('oss_orders_amount').on(t.amount, t.id),
    check('oss_orders_refunded', sql`refunded >= 0 and refunded <= amount`),
    tenantPolicy(),
  ],
)

/** Items of orders with a copy of the price: one package on one or more channels of one device. */
export const ossOrderItems = pgTable(
  'oss_order_items',
  {
    id: serial().primaryKey(),
    orderId: integer().notNull(),
    tenantId: integer().notNull(),
    line: integer().notNull(),
    packageId: integer().notNull(),
    packageVersionId: integer().notNull(),
    packageName: varchar({ length: 32 }).notNull(),
    sn: varchar({ length: 64 }).notNull(),
    channels: smallint().array().notNull(),
    copies: smallint().notNull(),
    effectMode: smallint().notNull(),
    /** Price of one copy when the order was recorded. */
    unitPrice: integer().notNull(),
    amount: integer().notNull(),
    refunded: integer().notNull().default(0),
  },
  (t) => [
    uniqueIndex('oss_order_items_line').on(t.orderId, t.line),
    index('oss_order_items_sn').on(t.sn),
    check('oss_order_items_refunded', sql`refunded >= 0 and refunded <= amount`),
    tenantPolicy(),
  ],
)

/** Refunds of order items: requested by staff, reported by the shop, or recorded as paid elsewhere. */
export const ossRefunds = pgTable(
  'oss_refunds',
  {
    id: serial().primaryKey(),
    refundNo: varchar({ length: 20 }).notNull(),
    tenantId: integer().notNull(),
    orderId: integer().notNull(),
    itemId: integer().notNull(),
    hookId: integer().notNull(),
    /** Number of the paid refund; empty: not paid. */
    outRefundNo: varchar({ length: 64 }).notNull().default(''),
    amount: integer().notNull(),
    /** 1: the refund cancels the entitlements of the item. */
    stops: smallint().notNull().default(0),
    /** 0 pending, 1 refunded, 2 rejected. */
    state: smallint().notNull().default(0),
    /** 1 request of staff, 2 reported by the shop, 3 paid offline. */
    origin: smallint().notNull(),
    reason: varchar({ length: 200 }).notNull().default(''),
    operName: varchar({ length: 30 }).notNull().default(''),
    doneTime: moment(),
    ...audited,
  },
  (t) => [
    uniqueIndex('oss_refunds_no').on(t.refundNo),
    uniqueIndex('oss_refunds_out').on(t.hookId, t.outRefundNo).where(sql`out_refund_no <> ''`),
    index('oss_refunds_order').on(t.orderId, t.id),
    index('oss_refunds_tenant').on(t.tenantId, t.id),
    index('oss_refunds_pending').on(t.itemId).where(sql`state = 0`),
    check('oss_refunds_amount', sql`amount > 0`),
    tenantPolicy(),
  ],
)

/** Batches of card codes. `fileEncrypted` stores the encrypted codes until the download, at most for 24 hours. */
export const ossCardBatches = pgTable(
  'oss_card_batches',
  {
    id: serial().primaryKey(),
    batchNo: varchar({ length: 20 }).notNull(),
    tenantId: integer().notNull(),
    packageId: integer().notNull(),
    packageVersionId: integer().notNull(),
    packageName: varchar({ length: 32 }).notNull(),
    count: integer().notNull(),
    /** Amount in fen that one card was sold for. */
    unitAmount: integer().notNull().default(0),
    validTo: date({ mode: 'string' }).notNull(),
    fileEncrypted: text().notNull().default(''),
    exportedTime: moment(),
    remark: remark(),
    createBy: integer(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    uniqueIndex('oss_card_batches_no').on(t.batchNo),
    index('oss_card_batches_file').on(t.createTime).where(sql`file_encrypted <> ''`),
    tenantPolicy(),
  ],
)

/** Cards: an HMAC of each code, never the code itself. */
export const ossCards = pgTable(
  'oss_cards',
  {
    id: serial().primaryKey(),
    batchId: integer().notNull(),
    tenantId: integer().notNull(),
    /** First 16 bytes of the HMAC of the code. */
    codeHash: bytea().notNull(),
    tail: varchar({ length: 4 }).notNull(),
    /** 0 unused, 1 used, 2 void. */
    state: smallint().notNull().default(0),
    usedBy: integer(),
    usedTime: moment(),
    sn: varchar({ length: 64 }).notNull().default(''),
    entitlementId: integer(),
  },
  (t) => [
    uniqueIndex('oss_cards_code').on(t.codeHash),
    index('oss_cards_batch').on(t.batchId, t.id),
    index('oss_cards_entitlement').on(t.entitlementId).where(sql`entitlement_id is not null`),
    check('oss_cards_used', sql`(state = 1) = (entitlement_id is not null)`),
    tenantPolicy(),
  ],
)

/** Wrong card codes of the last hour, which limit further attempts. */
export const ossCardAttempts = pgTable(
  'oss_card_attempts',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    uid: integer().notNull(),
    ip: varchar({ length: 64 }).notNull(),
    createTime: moment().notNull(),
  },
  (t) => [index('oss_card_attempts_uid').on(t.uid, t.createTime), index('oss_card_attempts_ip').on(t.ip, t.createTime)],
)

/**
 * Notices of the end of a service, for the App. The staff of a tenant receives one message for all notices of a run.
 */
export const ossNotices = pgTable(
  'oss_notices',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    tenantId: integer().notNull(),
    deviceId: integer().notNull(),
    sn: varchar({ length: 64 }).notNull(),
    channel: smallint().notNull(),
    /** 1 the service ends, 2 the service has ended, 3 the recordings of an ended service will be deleted. */
    kind: smallint().notNull().default(1),
    /** Days before the end or the deletion; 0: the service has ended. */
    days: smallint().notNull(),
    /** End of the queue that the notice announces. */
    endTime: moment().notNull(),
    createTime: moment().notNull(),
  },
  (t) => [
    uniqueIndex('oss_notices_once').on(t.deviceId, t.channel, t.endTime, t.kind, t.days),
    index('oss_notices_tenant').on(t.tenantId, t.id),
    tenantPolicy(),
  ],
)

interface GrantProblem {
  row: number
  field?: string | undefined
  msg: string
}

interface GrantCheck {
  lines: number
  devices: number
  copies: number
  listPrice: number
  amount: number
  failed: number
  reasons: { msg: string; lines: number }[]
  lostSeconds: number
  lostAmount: number
  lostDevices: number
  allowance: number | null
  tenants: { name: string; devices: number; copies: number }[]
  tenantCount: number
}

/** Files that open a package on many devices. A file that a second person must approve waits here. */
export const ossGrantFiles = pgTable(
  'oss_grant_files',
  {
    id: serial().primaryKey(),
    /** Tenant of the account that sent the file. */
    tenantId: integer().notNull(),
    fileName: varchar({ length: 255 }).notNull(),
    /** sha256 of the file: a file is accepted once. */
    fileHash: varchar({ length: 64 }).notNull(),
    /** Stored file of a batch that waits for approval. */
    fileId: varchar({ length: 32 }),
    packageId: integer().notNull(),
    packageName: varchar({ length: 32 }).notNull(),
    effectMode: smallint().notNull(),
    source: smallint().notNull(),
    /** Amount of one copy in fen. */
    amount: integer().notNull().default(0),
    reason: varchar({ length: 200 }).notNull(),
    lines: integer().notNull().default(0),
    /** Devices, copies and list price of the opened lines; before the run, of the lines that were valid in the check. */
    devices: integer().notNull().default(0),
    copies: integer().notNull().default(0),
    /** Tenants of the devices in the file when it was sent; 0 for serial numbers without a device. */
    tenantIds: integer().array().notNull().default(sql`'{0}'`),
    listPrice: bigint({ mode: 'number' }).notNull().default(0),
    /** 0 waits for approval, 1 being executed, 2 done, 3 rejected. A failed job is read from `jobs`. */
    state: smallint().notNull(),
    done: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    /** What the second person approves: figures of the check before the file was sent for approval. */
    checked: jsonb().$type<GrantCheck>(),
    jobId: integer(),
    /** First refused lines of the run: row number, column and reason. */
    problems: jsonb().$type<GrantProblem[]>().notNull().default([]),
    /** Stored file of all refused lines of the run. */
    failedFileId: varchar({ length: 32 }),
    auditBy: integer(),
    auditTime: moment(),
    auditRemark: varchar({ length: 200 }).notNull().default(''),
    ...audited,
  },
  (t) => [
    uniqueIndex('oss_grant_files_hash').on(t.tenantId, t.fileHash).where(sql`state <> 3`),
    index('oss_grant_files_created').on(t.createTime, t.id),
    tenantPolicy(),
  ],
)
