import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '#test/database.ts'
import type { Database } from './client.ts'
import { migrateDatabase } from './migrate.ts'

let database: Database
let folder: string

beforeAll(async () => {
  database = await createTestDatabase()
  folder = mkdtempSync(join(tmpdir(), 'oms-migrations-'))
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => database.pool.query('drop schema public cascade; create schema public'))

/** Writes migration files in the format of drizzle-kit. */
function write(...scripts: string[]) {
  for (const file of readdirSync(folder)) rmSync(join(folder, file))
  for (const [idx, text] of scripts.entries()) writeFileSync(join(folder, `000${idx}_step.sql`), text)
}

const run = () => migrateDatabase(database.connection, folder)
const namesOf = async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations' order by 1`,
  )
  return rows.map(({ name }) => name)
}

describe('migrate', () => {
  test('migrate applies each missing migration once', async () => {
    write('create table a (id int);--> statement-breakpoint\ncreate table b (id int)')
    expect(await run()).toEqual(['0000_step'])
    expect(await run()).toEqual([])
    write('create table a (id int);--> statement-breakpoint\ncreate table b (id int)', 'create table c (id int)')
    expect(await run()).toEqual(['0001_step'])
    expect(await namesOf()).toEqual(['a', 'b', 'c'])
  })

  test('migrate rolls back a failed migration and continues after the migration is corrected', async () => {
    write('create table a (id int)', 'create table b (id int);--> statement-breakpoint\nselect nonsense')
    await expect(run()).rejects.toThrow('0001_step')
    expect(await namesOf()).toEqual(['a'])
    write('create table a (id int)', 'create table b (id int)')
    expect(await run()).toEqual(['0001_step'])
  })

  test('migrate refuses a database that is newer than the program', async () => {
    write('create table a (id int)', 'create table b (id int)')
    await run()
    write('create table a (id int)')
    await expect(run()).rejects.toThrow('数据库比程序新')
  })

  test('migrate refuses a database whose applied migrations differ from those of the program', async () => {
    write('create table a (id int)')
    await run()
    write('create table a (id bigint)')
    await expect(run()).rejects.toThrow('不一致')
  })

  test('each migration runs once when several processes start together', async () => {
    write('create table a (id int);--> statement-breakpoint\nselect pg_sleep(0.1)', 'create table b (id int)')
    const done = await Promise.all([run(), run(), run(), run()])
    expect(done.flat()).toEqual(['0000_step', '0001_step'])
  })

  test('migrate continues after its database session was killed', async () => {
    write('create table a (id int)', 'create table b (id int);--> statement-breakpoint\nselect pg_sleep(60)')
    const outcome = run().then(
      () => 'done',
      (error: Error) => error.name,
    )
    await expect
      .poll(
        async () => {
          const { rows } = await database.pool.query(
            `select pg_terminate_backend(pid) from pg_stat_activity where query = E'\\nselect pg_sleep(60)'`,
          )
          return rows.length
        },
        { timeout: 30_000 },
      )
      .toBe(1)
    expect(await outcome).toBe('MigrationError')
    expect(await namesOf()).toEqual(['a'])
    write('create table a (id int)', 'create table b (id int)')
    expect(await run()).toEqual(['0001_step'])
  })
})
