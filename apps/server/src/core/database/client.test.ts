import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '#test/database.ts'
import { type Database, openPool } from './client.ts'

let database: Database
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => database.close())

test('a broken connection causes a warning while the pool is open, and none while the pool closes', async () => {
  const warnings: string[] = []
  const opened: Database = await openPool(database.connection, {
    size: 1,
    embedded: true,
    warn: (message) => warnings.push(message),
    // The embedded database stops here. pg reports connections that have not ended yet.
    closeAfter: async () => opened.pool.emit('error', new Error('terminating connection'), undefined as never),
  })
  const { rows } = await opened.pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
  await expect.poll(() => warnings).toEqual([expect.stringContaining('数据库连接中断')])
  expect((await opened.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await opened.close()
  expect(warnings).toHaveLength(1)
})

test('a database connection without the session settings of OMS is refused', async () => {
  const { options: _dropped, ...pooled } = database.connection
  const open = () => openPool(pooled, { size: 1, embedded: false, warn: () => {}, closeAfter: async () => {} })
  await expect(open()).rejects.toThrow('不能经过 PgBouncer')
})
