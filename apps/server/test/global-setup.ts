import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { connectionOf, readUrl } from '../src/db/client.ts'
import { findBinaries } from '../src/db/embedded/binaries.ts'
import { openCluster } from '../src/db/embedded/cluster.ts'
import { keepTemplate } from '../src/db/embedded/template.ts'
import { migrate } from '../src/db/migrate.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** May create databases. */
    server: pg.ClientConfig
    template: string
    /** Cleared with everything running in it when the run is over. */
    scratch: string
    /** Folder of the built server and commands, for tests that start and kill them. */
    bundle: string
  }
}

const ROOT = join(import.meta.dirname, '../../..')
const TIME_ZONE = { timeZone: 'Asia/Shanghai' }

/** One cluster a run and one migrated database in it, which every test file gets a copy of. */
export default async function setup({ provide }: TestProject) {
  const scratch = mkdtempSync(join(tmpdir(), 'oms-test-'))
  watchOver(scratch)
  // Without it only the tests that start the bundle fail, each saying so.
  const bundling = bundle(join(ROOT, '.cache/test-server', String(process.pid))).catch(() => '')
  const { server, stop } = await openServer(join(scratch, 'data'))
  const template = `oms_template_${process.pid}`
  const drop = () => command(server, `drop database if exists ${template} with (force)`)
  try {
    await command(server, `create database ${template}`)
    await migrate({ ...server, database: template })
  } catch (error) {
    await stop()
    throw error
  }
  provide('server', server)
  provide('template', template)
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

/**
 * Inside the workspace, so that the packages left out of the bundle are found. A module that is half written must not
 * stop the tests of all others, so a failure is told to those who start the bundle.
 */
const bundle = (folder: string) =>
  promisify(execFile)(process.execPath, [join(ROOT, 'scripts/bundle.mjs'), folder]).then(
    () => folder,
    () => '',
  )

function watchOver(folder: string) {
  const reaper = spawn(process.execPath, [join(import.meta.dirname, 'reaper.ts'), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  reaper.unref()
  // An open pipe alone must not keep the run alive.
  if (reaper.stdin && 'unref' in reaper.stdin && typeof reaper.stdin.unref === 'function') reaper.stdin.unref()
}

async function openServer(dataDir: string): Promise<{ server: pg.ClientConfig; stop: () => Promise<void> }> {
  const url = process.env.DATABASE_URL
  if (url) return { server: fieldsOf(connectionOf(readUrl(url), TIME_ZONE)), stop: async () => {} }
  await keepTemplate(findBinaries(), join(ROOT, '.cache'))
  const cluster = await openCluster({ dataDir, role: 'tool', warn: () => {} })
  return { server: connectionOf(cluster.connection, TIME_ZONE), stop: cluster.close }
}

/** Fields instead of an address, so that another database can be put beside them. */
function fieldsOf({ connectionString, ...rest }: pg.ClientConfig): pg.ClientConfig {
  const { host, port, user, password, database, ssl } = new pg.Client({ connectionString })
  return { ...rest, host, port, user, password, database, ssl }
}

async function command(server: pg.ClientConfig, text: string) {
  const client = new pg.Client(server)
  await client.connect()
  await client.query(text)
  await client.end()
}
