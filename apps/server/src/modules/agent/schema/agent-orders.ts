import { sql } from 'drizzle-orm'
import {
  check,
  index,
  integer,
  jsonb,
  pgTable,
  smallint,
  uniqueIndex,
  bigint,
  bigserial,
  date,
  serial,
  varchar,
} from 'drizzle-orm/pg-core'
import { audited, moment, remark, tenantPolicy } from '#core/schema/columns.ts'
import { packageColumns, versionColumns } from '#core/schema/package-columns.ts'

interface Allowance {
  unit: number
  /** 0: unlimited. */
  amount: number
}

/** Packages of voice services. */
export const agentProducts = pgTable('agent_products', packageColumns(), (t) => [
  uniqueIndex('agent_products_name').on(t.packageName).where(sql`deleted_at is null`),
  uniqueIndex('agent_products_code').on(t.packageCode).where(sql`deleted_at is null`),
  index('agent_products_sort').on(t.sort, t.id),
])

/** Terms of sale of a package. */
export const agentProductVersions = pgTable(
  'agent_product_versions',
  {
    ...versionColumns(),
    allowances: jsonb().$type<Allowance[]>().notNull(),
    /** 1 device, 2 agent, 3 tenant. */
    scope: smallint().notNull(),
    /** Days after the payment in which the first use must begin, and days from the first use to the end. */
    activateDays: integer().notNull(),
    validDays: integer().notNull(),
  },
  (t) => [
    uniqueIndex('agent_product_versions_no').on(t.packageId, t.version),
    check(
      'agent_product_versions_terms',
      sql`price >= 0 and scope between 1 and 3 and activate_days > 0 and valid_days > 0`,
    ),
  ],
)

/** Orders of voice packages. The terms are an immutable version of the package. */
export const agentOrders = pgTable(
  'agent_orders',
  {
    id: serial().primaryKey(),
    orderNo: varchar({ length: 20 }).notNull(),
    tenantId: integer().notNull(),
    packageId: integer().notNull(),
    /** `agent_product_versions.id`. */
    packageVersionId: integer().notNull(),
    /** Name of the package at the time of the order. */
    packageName: varchar({ length: 32 }).notNull(),
    targetCount: integer().notNull(),
    copies: integer().notNull(),
    /** Amounts in fen. */
    unitPrice: integer().notNull(),
    discount: integer().notNull().default(0),
    discountReason: varchar({ length: 200 }).notNull().default(''),
    amount: integer().notNull(),
    refunded: integer().notNull().default(0),
    /** 0 pending, 1 paid, 2 refunding, 3 refunded, 4 closed, 5 finished. */
    state: smallint().notNull().default(0),
    /** 0 unpaid, 1 transfer, 2 contract, 3 gift, 5 free. */
    payWay: smallint().notNull().default(0),
    voucherNo: varchar({ length: 64 }).notNull().default(''),
    voucherFiles: jsonb().$type<{ id: string; name: string }[]>().notNull().default([]),
    payBy: integer(),
    payTime: moment(),
    closeReason: varchar({ length: 200 }).notNull().default(''),
    closeTime: moment(),
    finishTime: moment(),
    remark: remark(),
    ...audited,
  },
  (t) => [
    uniqueIndex('agent_orders_no').on(t.orderNo),
    uniqueIndex('agent_orders_voucher').on(t.voucherNo).where(sql`voucher_no <> ''`),
    index('agent_orders_tenant').on(t.tenantId, t.id),
    index('agent_orders_created').on(t.createTime, t.id),
    index('agent_orders_paid').on(t.payTime.asc().nullsFirst(), t.id),
    index('agent_orders_amount').on(t.amount, t.id),
    index('agent_orders_open').on(t.state, t.id).where(sql`state in (0, 1)`),
    check('agent_orders_money', sql`amount >= 0 and discount >= 0 and refunded between 0 and amount`),
    tenantPolicy(),
  ],
)

/** Targets of an order: devices, agents, or the tenant, by the scope of its package. */
export const agentOrderTargets = pgTable(
  'agent_order_targets',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    orderId: integer().notNull(),
    line: integer().notNull(),
    targetId: integer().notNull(),
    /** Serial number of the device, else the name, at the time of the order. */
    name: varchar({ length: 64 }).notNull(),
  },
  (t) => [
    uniqueIndex('agent_order_targets_target').on(t.orderId, t.targetId),
    index('agent_order_targets_line').on(t.orderId, t.line),
    tenantPolicy(),
  ],
)

/** Requests for refunds. At most one of an order is undecided. */
export const agentOrderRefunds = pgTable(
  'agent_order_refunds',
  {
    id: serial().primaryKey(),
    tenantId: integer().notNull(),
    orderId: integer().notNull(),
    amount: integer().notNull(),
    /** 0 undecided, 1 refunded, 2 rejected. */
    state: smallint().notNull().default(0),
    reason: varchar({ length: 200 }).notNull(),
    createBy: integer(),
    createTime: moment().notNull().default(sql`now()`),
    auditBy: integer(),
    auditTime: moment(),
    auditRemark: varchar({ length: 200 }).notNull().default(''),
  },
  (t) => [
    index('agent_order_refunds_order').on(t.orderId, t.id),
    uniqueIndex('agent_order_refunds_open').on(t.orderId).where(sql`state = 0`),
    tenantPolicy(),
  ],
)

const amount = () => bigint({ mode: 'number' }).notNull()

/**
 * What a paid order gives a target: an amount of one unit in one of the copies. Amounts are whole numbers in the base
 * unit: tenths of a second for minutes, else the unit itself.
 */
export const agentGrants = pgTable(
  'agent_grants',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    tenantId: integer().notNull(),
    orderId: integer().notNull(),
    /** 1 device, 2 agent, 3 tenant. */
    scope: smallint().notNull(),
    /** Id of the device, the agent or the tenant. */
    targetId: integer().notNull(),
    targetName: varchar({ length: 64 }).notNull(),
    packNo: smallint().notNull(),
    unit: smallint().notNull(),
    /** 1: the grant is unlimited, and all amounts stay 0. */
    isUnlimited: smallint().notNull(),
    total: amount(),
    remaining: amount(),
    spent: amount().default(0),
    lapsed: amount().default(0),
    refunded: amount().default(0),
    /** 0 waiting, 1 running, 2 used, 3 lapsed, 4 revoked. */
    state: smallint().notNull().default(0),
    /** 1 while a refund of the order is undecided: neither spent nor lapsed. */
    isFrozen: smallint().notNull().default(0),
    validDays: integer().notNull(),
    activateUntil: moment().notNull(),
    beginTime: moment(),
    validUntil: moment(),
    /** Days before the end in the last warning: 30, then 7. */
    warnedDays: smallint(),
    /** Remaining percentage in the last warning: 20, then 5, and 0 when the grant is used up. */
    warnedShare: smallint(),
    /**
     * 5 or 20 while at most this percentage is left. An index on the amount itself would have to be changed with each
     * spending.
     */
    lowShare: smallint().generatedAlwaysAs(
      sql`case when is_unlimited = 1 then null when remaining * 20 <= total then 5 when remaining * 5 <= total then 20 end`,
    ),
    createTime: moment().notNull(),
  },
  (t) => [
    uniqueIndex('agent_grants_pack').on(t.orderId, t.targetId, t.packNo, t.unit),
    index('agent_grants_open').on(t.scope, t.targetId).where(sql`state < 2`),
    index('agent_grants_due').on(sql`coalesce(valid_until, activate_until)`).where(sql`state < 2 and is_frozen = 0`),
    index('agent_grants_ending')
      .on(t.tenantId, t.validUntil)
      .where(sql`state = 1 and is_frozen = 0 and coalesce(warned_days, 100) > 7`),
    index('agent_grants_low')
      .on(t.tenantId, t.id)
      .where(sql`state = 1 and is_frozen = 0 and low_share < coalesce(warned_share, 100)`),
    index('agent_grants_used_up').on(t.tenantId, t.id).where(sql`state = 2 and coalesce(warned_share, 100) > 0`),
    index('agent_grants_target').on(t.scope, t.targetId, t.id),
    index('agent_grants_tenant').on(t.tenantId, t.id),
    index('agent_grants_created').on(t.createTime, t.id),
    index('agent_grants_valid').on(t.validUntil.asc().nullsFirst(), t.id),
    index('agent_grants_activate').on(t.activateUntil, t.id),
    check('agent_grants_sum', sql`total = remaining + spent + lapsed + refunded`),
    check('agent_grants_amounts', sql`remaining >= 0 and spent >= 0 and lapsed >= 0 and refunded >= 0`),
    check('agent_grants_over', sql`state < 2 or remaining = 0`),
    tenantPolicy(),
  ],
)

/** Changes of grants. Lines are only added; the line of a day's use may only grow. */
export const agentLedger = pgTable(
  'agent_ledger',
  {
    id: bigserial({ mode: 'number' }).primaryKey(),
    tenantId: integer().notNull(),
    grantId: bigint({ mode: 'number' }).notNull(),
    orderId: integer().notNull(),
    /** 1 issued, 2 spent, 3 lapsed, 4 refunded. */
    kind: smallint().notNull(),
    /** In the base unit of the grant. */
    amount: amount(),
    day: date({ mode: 'string' }).notNull(),
    operName: varchar({ length: 30 }).notNull().default(''),
    reason: varchar({ length: 200 }).notNull().default(''),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    uniqueIndex('agent_ledger_spent').on(t.grantId, t.day).where(sql`kind = 2`),
    index('agent_ledger_grant').on(t.grantId, t.id),
    index('agent_ledger_order').on(t.orderId, t.id),
    index('agent_ledger_tenant').on(t.tenantId, t.id),
    index('agent_ledger_created').on(t.createTime, t.id),
    index('agent_ledger_day').on(t.day, t.id),
    check('agent_ledger_line', sql`kind between 1 and 4 and amount >= 0 or kind = 5 and amount <> 0 and reason <> ''`),
    tenantPolicy(),
  ],
)

/** Devices that received a trial package. A device receives one for ever, whatever its row or its tenant becomes. */
export const agentTrials = pgTable(
  'agent_trials',
  {
    sn: varchar({ length: 64 }).primaryKey(),
    tenantId: integer().notNull(),
    /** Twelve hex digits; empty: unknown. */
    mac: varchar({ length: 12 }).notNull(),
    orderId: integer().notNull(),
    createTime: moment().notNull().default(sql`now()`),
  },
  (t) => [
    uniqueIndex('agent_trials_mac').on(t.mac).where(sql`mac <> ''`),
    index('agent_trials_order').on(t.orderId),
    tenantPolicy(),
  ],
)
