import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '#test/database.ts'
import type { Database } from '#core/database/client.ts'
import { Pipeline, MAX_STATEMENTS, runPrepared } from './prepared-statements.ts'

let database: Database
let pipeline: Pipeline
beforeAll(async () => {
  database = await createTestDatabase()
  pipeline = new Pipeline(database.connection)
})
afterAll(async () => {
  await pipeline.close()
  await database.close()
})

const statement = (at: number) => ({ name: `s${at}`, text: `select $1::int + ${at}`, values: [1] })
const kept = async () => {
  const text = 'select count(*)::int from pg_prepared_statements'
  return Number((await pipeline.rows({ name: 'counting', text, values: [] }))[0]?.[0])
}

test('a connection keeps a limited number of prepared statements: the most recently used ones', async () => {
  for (let at = 0; at < 3 * MAX_STATEMENTS; at += 1) {
    expect(await pipeline.rows(statement(at))).toEqual([[1 + at]])
    await pipeline.rows(statement(0))
  }
  expect(await kept()).toBeLessThanOrEqual(MAX_STATEMENTS)
  const names = await pipeline.rows({ name: 'naming', text: 'select name from pg_prepared_statements', values: [] })
  expect(names.flat()).toContain('s0')
  expect(names.flat()).not.toContain('s1')
  // A deallocated statement is prepared again.
  expect(await pipeline.rows(statement(1))).toEqual([[2]])
})

test('concurrent statements on one pipelined connection return their own rows', async () => {
  const all = Array.from({ length: 4 * MAX_STATEMENTS }, (_, at) => (at * 7) % (2 * MAX_STATEMENTS))
  expect(await Promise.all(all.map((at) => pipeline.rows(statement(at))))).toEqual(all.map((at) => [[1 + at]]))
  expect(await Promise.all(all.map((at) => pipeline.rows(statement(at))))).toEqual(all.map((at) => [[1 + at]]))
})

test('connections of the pool have the same limit of prepared statements', async () => {
  const client = await database.pool.connect()
  try {
    for (let at = 0; at < 2 * MAX_STATEMENTS; at += 1) await runPrepared(client, statement(at))
    const { rows } = await client.query<{ n: number }>('select count(*)::int as n from pg_prepared_statements')
    expect(rows[0]?.n).toBe(MAX_STATEMENTS)
  } finally {
    client.release()
  }
})
