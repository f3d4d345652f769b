import { sql } from 'drizzle-orm'
import { customType, integer, smallint, varchar } from 'drizzle-orm/pg-core'

/** A moment; reads as `yyyy-MM-dd HH:mm:ss` in the connection's zone (the console's), never as a Date. */
export const moment = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
  fromDriver: wallClock,
})

/** Cuts PostgreSQL's `2030-01-01 08:00:00.123+08` to the seconds the wire shows. */
export function wallClock(value: string) {
  return value.slice(0, 19)
}

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** Who made and last changed a row, and the revision that guards against lost updates. */
export const audited = {
  createBy: integer(),
  createTime: moment().notNull().default(sql`now()`),
  updateBy: integer(),
  updateTime: moment().notNull().default(sql`now()`),
  rev: integer().notNull().default(0),
}

/** Set when the row was deleted; every query on such a table leaves deleted rows out. */
export const softDelete = { deletedAt: moment() }

export const enabled = () => smallint().notNull().default(1)
export const remark = () => varchar({ length: 200 }).notNull().default('')

/** The transaction that last wrote the row: who follows a table reads on from the oldest one that was open last time. */
export const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' })
