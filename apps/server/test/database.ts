import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openPool } from '#core/database/client.ts'

/**
 * Tests send more simultaneous calls than the pool has connections. On a busy machine the last of them wait longer than
 * the product permits, and a 503 would hide whether their rule holds.
 */
const WAIT_MS = 30_000

/** Creates a migrated database without rows; `close` drops it. */
export const createTestDatabase = () => create(`template ${inject('template')}`)

/** Creates a migrated and seeded database, with the account `admin` and `ADMIN_PASSWORD`; `close` drops it. */
export const createSeededDatabase = () => create(`template ${inject('seeded')}`)

/**
 * Creates a seeded database with the demo data, and copies the demo files into `dataDir`; `close` drops the database.
 * The first use in a run creates the demo data by `fill`, and later uses copy them.
 */
export async function createDemoDatabase(
  dataDir: string,
  fill: (database: Database, dataDir: string) => Promise<void>,
): Promise<Database> {
  const folder = join(inject('scratch'), 'demo')
  const template = `${inject('template')}_demo`
  await onServer(`set lock_timeout = 0; select pg_advisory_lock(${DEMO_LOCK})`, async () => {
    if (existsSync(folder)) return
    const unfinished = `${folder}-unfinished`
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(unfinished)
    await drop(template)
    await repeated(() => onServer(`create database ${template} template ${inject('seeded')}`))
    const database = await open(template, async () => {})
    await fill(database, unfinished)
    await database.close()
    renameSync(unfinished, folder)
  })
  cpSync(folder, dataDir, { recursive: true })
  return create(`template ${template}`)
}

/** Any number that no other lock of the tests uses. */
const DEMO_LOCK = 31_000_001

/** Creates a database without tables; `close` drops it. */
export const emptyDatabase = () => create('')

async function create(options: string): Promise<Database> {
  const name = `oms_test_${randomBytes(8).toString('hex')}`
  await repeated(() => onServer(`create database ${name} ${options}`))
  return open(name, () => drop(name))
}

function open(name: string, closeAfter: () => Promise<void>): Promise<Database> {
  const connection = { ...inject('server'), database: name }
  return openPool(connection, { size: 5, embedded: true, warn: () => {}, closeAfter, waitMs: WAIT_MS })
}

/** SQLSTATEs of repeated commands: object in use, insufficient privilege, statement timeout, lock timeout. */
const REPEATED = ['55006', '42501', '57014', '55P03']

/**
 * Drops a database. A forced drop ends the connections of killed processes. It fails while autovacuum runs, which this
 * role may not end by force; a plain drop ends autovacuum.
 */
const drop = (name: string) =>
  repeated((tries) => onServer(`drop database if exists ${name} ${tries % 2 === 0 ? 'with (force)' : ''}`))

/** Repeats a command that fails while another process is busy, such as an autovacuum of the template. */
async function repeated(work: (tries: number) => Promise<void>, tries = 20): Promise<void> {
  try {
    await work(tries)
  } catch (error) {
    const mayRetry = error instanceof pg.DatabaseError && REPEATED.includes(error.code ?? '')
    if (tries === 0 || !mayRetry) throw error
    await repeated(work, tries - 1)
  }
}

/** Runs a statement and then the work on one connection. */
async function onServer(command: string, work?: () => Promise<void>) {
  const client = new pg.Client(inject('server'))
  await client.connect()
  try {
    // Copying a database on a busy disk takes longer than a statement of the product may.
    await client.query('set statement_timeout = 0')
    await client.query(command)
    await work?.()
  } finally {
    await client.end()
  }
}
