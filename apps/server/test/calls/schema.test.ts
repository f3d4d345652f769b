import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import { sql } from 'drizzle-orm'
import { integer, pgTable, serial } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { tenantPolicy } from '#core/schema/columns.ts'
import { createTestDatabase, emptyDatabase } from '#test/database.ts'
import { tablesWithoutRowSecurity } from '#test/fixtures/worlds.ts'
import { useApp } from '#test/harness.ts'
import { importSchemas } from '#test/tables.ts'

const app = useApp()

/** Returns the statements with which drizzle-kit creates these tables in an empty database. */
const statementsOf = (tables: Record<string, unknown>) => {
  const [before, after] = [{}, tables].map((each) => generateDrizzleJson(each, undefined, undefined, 'snake_case'))
  return generateMigration(before!, after!)
}

/** Columns, keys and indexes of the tables, as PostgreSQL describes them. */
const COLUMNS = `select table_name || '.' || column_name || ' ' || udt_name || ' ' || is_nullable || ' '
    || coalesce(character_maximum_length::text, '') || ' ' || coalesce(column_default, '') as line
  from information_schema.columns where table_schema = 'public'`
const INDEXES = `select regexp_replace(indexdef, 'ON (ONLY )?', 'ON ') as line from pg_indexes where schemaname = 'public'`

test('the migrations create every table, column and index of the schema', async () => {
  const modules = await importSchemas()
  const [declared, migrated] = await Promise.all([emptyDatabase(), createTestDatabase()])
  const linesOf = async ({ pool }: typeof declared, query: string) =>
    (await pool.query<{ line: string }>(query)).rows.map(({ line }) => line)
  try {
    const statements = await statementsOf(Object.assign({}, ...modules))
    const needed = 'create extension if not exists pg_trgm; create collation oms_names (provider = icu, locale = zh)'
    await declared.pool.query([needed, ...statements].join(';'))
    for (const query of [COLUMNS, INDEXES]) {
      const found = new Set(await linesOf(migrated, query))
      expect((await linesOf(declared, query)).filter((line) => !found.has(line))).toEqual([])
    }
  } finally {
    await Promise.all([declared.close(), migrated.close()])
  }
})

test('TENANT-05 accounts see only rows of their tenant in a table that declares the tenant policy', async () => {
  const parts = pgTable('policy_parts', { id: serial().primaryKey(), tenantId: integer().notNull() }, () => [
    tenantPolicy(),
  ])
  for (const statement of await statementsOf({ parts })) await app.db.execute(sql.raw(statement))
  expect(await tablesWithoutRowSecurity(app.db)).toEqual([])
  await app.db.insert(parts).values([{ tenantId: 7 }, { tenantId: 8 }])
  const inTenant = <T>(work: (db: Parameters<Parameters<typeof app.db.transaction>[0]>[0]) => Promise<T>) =>
    app.db.transaction(async (tx) => {
      await tx.execute(sql`set local role oms_tenant; set local oms.tenant = '7'`)
      return work(tx)
    })
  expect(await inTenant((tx) => tx.select().from(parts))).toMatchObject([{ tenantId: 7 }])
  await expect(inTenant((tx) => tx.insert(parts).values({ tenantId: 8 }))).rejects.toThrow()
})
