import { sql } from 'drizzle-orm'
import { customType, integer, smallint, varchar } from 'drizzle-orm/pg-core'

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
