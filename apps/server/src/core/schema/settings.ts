import { sql } from 'drizzle-orm'
import { integer, jsonb, pgTable, varchar } from 'drizzle-orm/pg-core'
import { moment } from './columns.ts'

/** Values of the installation that several processes share. */
export const settings = pgTable('settings', {
  key: varchar({ length: 50 }).primaryKey(),
  value: jsonb().notNull(),
  updateTime: moment().notNull().default(sql`now()`),
  /** Last editor, for values that a form saves. */
  updateBy: integer(),
  rev: integer().notNull().default(0),
})
