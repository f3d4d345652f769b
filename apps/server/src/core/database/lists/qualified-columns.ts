import type { NodePgDatabase } from 'drizzle-orm/node-postgres'

type Build = (fields: unknown, options?: { readonly isSingleTable?: boolean }) => unknown

/**
 * Makes every selected expression name the table of its columns. For a select from one table Drizzle 0.45 leaves the
 * table out, and inside a subquery of such an expression PostgreSQL takes the bare name for a column of the subquery:
 * `where v.code = "code"` then holds for every row.
 */
export function qualifySelectedColumns(db: NodePgDatabase) {
  const { dialect } = db as unknown as { readonly dialect: { buildSelection: Build } }
  const build = dialect.buildSelection.bind(dialect)
  dialect.buildSelection = (fields) => build(fields)
}
