import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { expect, test } from 'vitest'
import { qualifySelectedColumns } from './list-query.ts'

const parts = pgTable('parts', { id: integer(), verCode: integer() })
const newer = sql<number>`(select count(*) from parts p where p.ver_code > ${parts.verCode})`

test('a subquery compares with the columns of the selected table by qualified column names', () => {
  const db = drizzle(new pg.Pool(), { casing: 'snake_case' })
  qualifySelectedColumns(db)

  const { sql: text } = db.select({ id: parts.id, newer }).from(parts).toSQL()
  expect(text).toContain('p.ver_code > "parts"."ver_code"')
  expect(db.update(parts).set({ id: 1 }).returning({ newer }).toSQL().sql).toContain('> "parts"."ver_code"')
})
