import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openPool } from '../src/db/client.ts'

/** A migrated, empty database of its own; `close` drops it. */
export async function createTestDatabase(): Promise<Database> {
  const name = `oms_test_${randomBytes(8).toString('hex')}`
  await onServer(`create database ${name} template ${inject('template')}`)
  const closeAfter = () => drop(name)
  const connection = { ...inject('server'), database: name }
  return openPool(connection, { size: 5, embedded: true, warn: () => {}, closeAfter })
}

/** Vacuum may be at work in it, and may not be ended by us: it will be done, or gone to another database, in a moment. */
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
