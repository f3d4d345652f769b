import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { useDatabase } from '#test/fixtures/video-fixture.ts'
import { queryWithoutTimeout } from './prepared-statements.ts'

const database = useDatabase()
let pool: pg.Pool | undefined
afterAll(() => pool?.end())

test('queryWithoutTimeout may exceed the statement timeout of the pool, and later queries may not', async () => {
  pool = new pg.Pool({ ...database.connection, max: 1, statement_timeout: 500 })
  const slow = 'select pg_sleep(0.7)'
  expect(await queryWithoutTimeout(pool, slow)).toHaveLength(1)
  await expect(pool.query(slow)).rejects.toThrow('statement timeout')
  await expect(queryWithoutTimeout(pool, 'select 1 / 0')).rejects.toThrow('division by zero')
  expect((await pool.query('select 1 as n')).rows).toEqual([{ n: 1 }])
})
