import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openPool } from '../src/db/client.ts'

/** A migrated, empty database of its own; `close` drops it. */
export async function createTestDatabase(): Promise<Database> {
  const name = `oms_test_${randomBytes(8).toString('hex')}`
  await onServer(`create database ${name} template ${inject('template')}`)
  const closeAfter = () => onServer(`drop database if exists ${name} with (force)`)
  const connection = { ...inject('server'), database: name }
  return openPool(connection, { size: 5, embedded: true, warn: () => {}, closeAfter })
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
