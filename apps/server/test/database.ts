import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openPool } from '#core/database/client.ts'

/** Creates a migrated database without rows; `close` drops it. */
export const createTestDatabase = () => create(`template ${inject('template')}`)

/** Creates a migrated and seeded database, with the account `admin` and `ADMIN_PASSWORD`; `close` drops it. */
export const createSeededDatabase = () => create(`template ${inject('seeded')}`)

/** Creates a database without tables; `close` drops it. */
export const emptyDatabase = () => create('')

async function create(options: string): Promise<Database> {
  const name = `oms_test_${randomBytes(8).toString('hex')}`
  await onServer(`create database ${name} ${options}`)
  const closeAfter = () => drop(name)
  const connection = { ...inject('server'), database: name }
  return openPool(connection, { size: 5, embedded: true, warn: () => {}, closeAfter })
}

/** Drops a database. Autovacuum may use the database, and this role may not end it, so the drop is retried. */
async function drop(name: string, tries = 20): Promise<void> {
  try {
    await onServer(`drop database if exists ${name} with (force)`)
  } catch (error) {
    if (tries === 0 || !(error instanceof pg.DatabaseError) || error.code !== '42501') throw error
    await new Promise((done) => setTimeout(done, 250))
    await drop(name, tries - 1)
  }
}

async function onServer(command: string) {
  const client = new pg.Client(inject('server'))
  await client.connect()
  try {
    await client.query(command)
  } finally {
    await client.end()
  }
}
