import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { Passwords } from '#core/auth/passwords.ts'
import { buildConnectionSettings, openPool, readUrl } from '#core/database/client.ts'
import { findBinaries } from '#core/database/embedded/binaries.ts'
import { openCluster } from '#core/database/embedded/cluster.ts'
import { storeTemplate } from '#core/database/embedded/cluster-template.ts'
import { migrateDatabase } from '#core/database/migrate.ts'
import { seedDatabase } from '#main/seed/seed.ts'
import { ADMIN_PASSWORD } from './fixtures/admin-password.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection settings of a role that may create databases. */
    server: pg.ClientConfig
    template: string
    /** A migrated database with the seed of a first start. Seeding takes longer than copying. */
    seeded: string
    /** Folder for temporary data. The folder and all processes in it are removed after the run. */
    scratch: string
    /** Folder of the built server and commands, for tests that start and kill them. */
    bundle: string
  }
}

const ROOT = join(import.meta.dirname, '../../..')
const TIME_ZONE = { timeZone: 'Asia/Shanghai' }

/** Starts one cluster per run with one migrated database. Every test file gets a copy of that database. */
export default async function setup({ provide }: TestProject) {
  const scratch = mkdtempSync(join(tmpdir(), 'oms-test-'))
  startReaper(scratch)
  // Without the bundle, only tests that start it fail, with this reason.
  const bundling = bundle(join(ROOT, '.cache/test-server', String(process.pid))).catch(() => '')
  const { server, stop } = await openServer(join(scratch, 'data'))
  const template = `oms_template_${process.pid}`
  const seeded = `${template}_seeded`
  // A plain drop, because this role may not end a running autovacuum by force.
  const drop = async () => {
    for (const name of [`${template}_demo`, seeded, template]) await command(server, `drop database if exists ${name}`)
  }
  try {
    await command(server, `create database ${template}`)
    await migrateDatabase({ ...server, database: template })
    await command(server, `create database ${seeded} template ${template}`)
    await seedTemplate({ ...server, database: seeded })
  } catch (error) {
    await stop()
    throw error
  }
  provide('server', server)
  provide('template', template)
  provide('seeded', seeded)
  provide('scratch', scratch)
  const built = await bundling
  provide('bundle', built)
  return async () => {
    await drop()
    await stop()
    if (built) rmSync(built, { recursive: true, force: true })
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function seedTemplate(connection: pg.ClientConfig) {
  const closeAfter = async () => {}
  const database = await openPool(connection, { size: 1, embedded: true, warn: () => {}, closeAfter })
  await seedDatabase(database, { passwords: new Passwords(), adminPassword: ADMIN_PASSWORD })
  await database.close()
}

/**
 * Builds the bundle inside the workspace, so that external packages are found. A build error is reported only to tests
 * that start the bundle, because unfinished code must not stop other tests.
 */
const bundle = (folder: string) =>
  promisify(execFile)(process.execPath, [join(ROOT, 'scripts/bundle.mjs'), folder]).then(
    () => folder,
    () => '',
  )

function startReaper(folder: string) {
  const reaper = spawn(process.execPath, [join(import.meta.dirname, 'reaper.ts'), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  reaper.unref()
  // The open pipe must not keep the process alive.
  if (reaper.stdin && 'unref' in reaper.stdin && typeof reaper.stdin.unref === 'function') reaper.stdin.unref()
}

async function openServer(dataDir: string): Promise<{ server: pg.ClientConfig; stop: () => Promise<void> }> {
  const url = process.env.DATABASE_URL
  if (url) return { server: fieldsOf(buildConnectionSettings(readUrl(url), TIME_ZONE)), stop: async () => {} }
  await storeTemplate(findBinaries(), join(ROOT, '.cache'))
  const cluster = await openCluster({ dataDir, role: 'tool', warn: () => {}, isDurable: false })
  return { server: buildConnectionSettings(cluster.connection, TIME_ZONE), stop: cluster.close }
}

/** Converts a connection URL to fields, so that another database name can be set. */
function fieldsOf({ connectionString, ...rest }: pg.ClientConfig): pg.ClientConfig {
  const { host, port, user, password, database, ssl } = new pg.Client({ connectionString })
  return { ...rest, host, port, user, password, database, ssl }
}

async function command(server: pg.ClientConfig, text: string) {
  const client = new pg.Client(server)
  await client.connect()
  try {
    // Copying a database on a busy disk takes longer than a statement of the product may.
    await client.query('set statement_timeout = 0')
    await client.query(text)
  } finally {
    // Otherwise the end of the cluster closes an open client, and that error hides the real one.
    await client.end()
  }
}
