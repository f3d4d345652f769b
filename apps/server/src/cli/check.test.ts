import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '#core/database/client.ts'
import { createTestDatabase } from '#test/database.ts'
import { findOutdatedCollations } from './check.ts'

let database: Database

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

test('check reports collations whose library was updated after their creation', async () => {
  expect(await findOutdatedCollations(database.pool)).toEqual([])
  // Only a superuser may write to the catalogue, so temporary tables of one session shadow the catalogue.
  const session = new pg.Pool({ ...database.connection, max: 1 })
  try {
    await session.query(`create temp table pg_collation as
      select oid, collname, collnamespace, 'old'::text as collversion from pg_catalog.pg_collation
      where pg_collation_actual_version(oid) is not null
      order by collnamespace <> 'public'::regnamespace, collname limit 1`)
    const { rows } = await session.query<{ name: string; actual: string }>(
      'select collname as name, pg_collation_actual_version(oid) as actual from pg_temp.pg_collation',
    )
    await session.query(`update pg_temp.pg_collation set collnamespace = 'public'::regnamespace`)
    expect(await findOutdatedCollations(session)).toEqual(
      rows.map(
        ({ name, actual }) =>
          `排序规则 ${name} 建立时的版本是 old，系统库现在的版本是 ${actual}：请重建索引并更新版本（见运维手册）`,
      ),
    )
    expect(rows).toHaveLength(1)
  } finally {
    await session.end()
  }
})
