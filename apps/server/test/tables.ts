import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import { getTableName } from 'drizzle-orm/table'

const SCHEMA = join(import.meta.dirname, '../src/schema')

/** Returns the names of all tables that the files of `schema/` declare. */
export async function tableNames(): Promise<string[]> {
  const files = readdirSync(SCHEMA, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const contents = await Promise.all(files.map((name) => import(join(SCHEMA, name)) as Promise<object>))
  return contents.flatMap((content) =>
    Object.values(content).flatMap((value: unknown) => (is(value, PgTable) ? [getTableName(value)] : [])),
  )
}
