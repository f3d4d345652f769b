import { sql } from 'drizzle-orm'
import { pgTable, varchar } from 'drizzle-orm/pg-core'
import { moment } from './columns.ts'

/**
 * Claims of file content that is about to be stored. Stored bytes without a row in `files` are kept for a day after
 * their claim.
 */
export const fileClaims = pgTable('file_claims', {
  sha256: varchar({ length: 64 }).primaryKey(),
  claimTime: moment().notNull().default(sql`now()`),
})
