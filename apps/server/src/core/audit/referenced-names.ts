import { inArray } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Db } from '#core/database/client.ts'
import type { FieldChange } from '#core/schema/system.ts'

/** Key column and name column of the records that a field refers to. */
export interface NameColumns {
  readonly id: PgColumn
  readonly name: PgColumn
}
/** Columns of the referenced records by field. The value of such a field is an id or a list of ids. */
export type References = Readonly<Record<string, NameColumns>>

interface Versions {
  readonly before: object
  readonly after: object
}

/**
 * Returns the changes with the names of the referenced records in place of their ids. The changes must be computed from
 * the ids, because two records can have the same name. A deleted record keeps its name.
 */
export async function withReferencedNames(
  db: Db,
  changes: readonly FieldChange[],
  { before, after }: Versions,
  references: References,
): Promise<FieldChange[]> {
  const changed = changes.filter(({ field }) => references[field] !== undefined)
  const idsOf = (record: object, field: string) => listIds((record as Record<string, unknown>)[field])
  const names = new Map<PgColumn, Map<number, string>>()
  for (const [key, fields] of Map.groupBy(changed, ({ field }) => references[field]!.id)) {
    const ids = fields.flatMap(({ field }) => [...idsOf(before, field), ...idsOf(after, field)])
    names.set(key, await readNames(db, references[fields[0]!.field]!, ids))
  }
  return changes.map((change) => {
    const { field } = change
    const known = references[field] && names.get(references[field].id)
    if (!known) return change
    const describe = (record: object) => idsOf(record, field).map((id) => known.get(id) ?? `编号 ${id}`)
    return { ...change, from: describe(before).join('、') || null, to: describe(after).join('、') || null }
  })
}

/** Returns the ids of a value. 0 is the root of a tree, which has no record. */
const listIds = (value: unknown): number[] =>
  [value].flat().filter((id): id is number => typeof id === 'number' && id !== 0)

async function readNames(db: Db, { id, name }: NameColumns, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select({ id, name })
    .from(id.table)
    .where(inArray(id, [...new Set(ids)]))
  return new Map(rows.map((row) => [row.id as number, row.name as string]))
}
