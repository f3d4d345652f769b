import { sql, type SQL } from 'drizzle-orm'
import { customType, integer, smallint, varchar, type PgColumn, type PgTable, pgPolicy } from 'drizzle-orm/pg-core'

/**
 * A timestamp column. Values are read as `yyyy-MM-dd HH:mm:ss` in the connection's time zone (the console's), never as
 * a Date.
 */
export const moment = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
  fromDriver: wallClock,
})

/** Shortens PostgreSQL's `2030-01-01 08:00:00.123+08` to the seconds used in responses. */
export function wallClock(value: string) {
  return value.slice(0, 19)
}

/** Column of binary data. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** Columns for creator, last editor and times, and the revision for the optimistic lock. */
export const audited = {
  createBy: integer(),
  createTime: moment().notNull().default(sql`now()`),
  updateBy: integer(),
  updateTime: moment().notNull().default(sql`now()`),
  rev: integer().notNull().default(0),
}

/** Time of deletion. Every query on such a table excludes deleted rows. */
export const softDelete = { deletedAt: moment() }

export const enabled = () => smallint().notNull().default(1)
export const remark = () => varchar({ length: 200 }).notNull().default('')

/**
 * Id of the transaction that last wrote the row. Index sync continues from the oldest transaction that was open at the
 * last read.
 */
export const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' })

/** Rows that prevent deletion of the row that their column names. */
export interface Reference {
  readonly column: PgColumn
  /** Measure word and name after the count: `个型号`. */
  readonly noun: string
  /** Only these rows count. Deleted rows never count. */
  readonly where: SQL | undefined
}

const referencesByTable = new Map<PgTable, Reference[]>()

/**
 * Declares beside a table that its rows prevent deletion of the row of `target` that `column` names. The deletion is
 * refused with the number of rows and `noun`.
 */
export function blocksDeletion(target: PgTable, column: PgColumn, noun: string, where?: SQL) {
  referencesByTable.set(target, [...referencesTo(target), { column, noun, where }])
}

/** Returns the declared references to a table, in the order of their declaration. */
export const referencesTo = (target: PgTable): readonly Reference[] => referencesByTable.get(target) ?? []

const own = sql`tenant_id = (SELECT current_setting('oms.tenant')::integer)`

/**
 * Row-level policy of a table with `tenantId`, for the third argument of `pgTable`. drizzle-kit writes the policy into
 * `0000_tables.sql`. Tables without this call have the same policy from `0001_rules.sql`.
 * @public
 */
export const tenantPolicy = () => pgPolicy('tenant_isolation', { to: 'oms_tenant', using: own, withCheck: own })

/**
 * Returns a policy to add to `tenantPolicy`: tenants may also read the rows of the platform that meet the condition.
 */
export const tenantReadsPlatform = (where?: SQL) =>
  pgPolicy('tenant_reads', {
    for: 'select',
    to: 'oms_tenant',
    using: where ? sql`tenant_id = 1 and ${where}` : sql`tenant_id = 1`,
  })
