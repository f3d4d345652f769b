import type { SQL } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'

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
