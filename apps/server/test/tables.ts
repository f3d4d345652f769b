import { globSync } from 'node:fs'
import { join } from 'node:path'
import { is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import { getTableName } from 'drizzle-orm/table'

const SOURCE = join(import.meta.dirname, '../src')

/** Imports every file that declares tables: `schema.ts`, `schema-*.ts` and the files of `schema/`. */
export const importSchemas = () =>
  Promise.all(
    globSync(['**/schema.ts', '**/schema-*.ts', '**/schema/*.ts'], { cwd: SOURCE }).map(
      (name) => import(join(SOURCE, name)) as Promise<object>,
    ),
  )

/** Returns the names of all declared tables. */
export async function tableNames(): Promise<string[]> {
  return (await importSchemas()).flatMap((content) =>
    Object.values(content).flatMap((value: unknown) => (is(value, PgTable) ? [getTableName(value)] : [])),
  )
}
