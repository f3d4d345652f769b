import { and, eq, isNull, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { type Reference, referencesTo } from '#core/schema/references.ts'
import type { Db } from './client.ts'

/** Returns the text about the rows that refer to a row, such as `12台设备、3个升级版本`; empty without references. */
export async function describeReferences(db: Db, target: PgTable, id: number): Promise<string> {
  const parts: string[] = []
  // The queries run one after the other, because a transaction has one connection.
  for (const reference of referencesTo(target)) {
    const count = await countOf(db, reference, id)
    if (count > 0) parts.push(`${count}${reference.noun}`)
  }
  return parts.join('、')
}

function countOf(db: Db, { column, where }: Reference, id: number) {
  const table = column.table as PgTable & { readonly deletedAt?: PgColumn }
  const isAlive = table.deletedAt ? isNull(table.deletedAt) : undefined
  return db.$count(sql`${table}`, and(eq(column, id), isAlive, where))
}
