import { sql } from 'drizzle-orm'
import { bigserial, check, index, integer, pgTable, serial, smallint, uniqueIndex, varchar } from 'drizzle-orm/pg-core'
import { audited, moment, remark } from './columns.ts'
import { tenantPolicy } from './tenant-policy.ts'

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
