import type { NodePgDatabase } from 'drizzle-orm/node-postgres'

type Build = (fields: unknown, options?: { readonly isSingleTable?: boolean }) => unknown

/**
 * Makes every selected expression name the table of its columns. Drizzle 0.45 omits the table in a select from one
 * table. Inside a subquery PostgreSQL then resolves the bare name to a column of the subquery: `where v.code = "code"`
 * is true for every row.
 */
export function qualifySelectedColumns(db: NodePgDatabase) {
  const { dialect } = db as unknown as { readonly dialect: { buildSelection: Build } }
  const build = dialect.buildSelection.bind(dialect)
  dialect.buildSelection = (fields) => build(fields)
}
