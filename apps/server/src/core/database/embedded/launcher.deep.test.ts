import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { openPool } from '#core/database/client.ts'
import { findBinaries, linkLibraries, prepareBinaries } from './binaries.ts'
import { type Cluster, openCluster } from './cluster.ts'
import { readPidFile, stopPostmaster } from './postmaster.ts'
import { isInUse, pollUntil } from './processes.ts'

let base: string
let dataDir: string
const children: ChildProcess[] = []
const warn = () => {}
const isRoot = process.geteuid?.() === 0

beforeEach(() => {
  base = mkdtempSync(join(inject('scratch'), 'launch-'))
  dataDir = join(base, 'data')
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  const cluster = await openCluster({ dataDir, role: 'tool', warn }).catch(() => undefined)
  await cluster?.close()
  rmSync(base, { recursive: true, force: true })
})

/** Starts a server process; `lines` collects its output. */
async function serve(mode: 'write' | 'idle', folder = dataDir) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'fixture-server.ts'), folder, mode], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const gone = new Promise<number | null>((resolve) => child.once('close', resolve))
  await pollUntil(20_000, 2, () => (lines.length > 0 || child.exitCode !== null ? true : undefined))
  return { child, lines, gone }
}

async function countOf(cluster: Cluster) {
  const client = new pg.Client(cluster.connection)
  await client.connect()
  const { rows } = await client.query<{ n: number }>('select count(*)::int as n from marks')
  await client.end()
  return rows[0]?.n ?? -1
}

describe('the embedded database', () => {
  test('the database listens on a socket only, with durable writes and a role without superuser rights', async () => {
    const cluster = await openCluster({ dataDir, role: 'server', warn })
    const client = new pg.Client(cluster.connection)
    await client.connect()
    const { rows } = await client.query(
      `select current_setting('fsync') as fsync, current_setting('listen_addresses') as tcp, rolsuper, rolbypassrls
       from pg_roles where rolname = current_user`,
    )
    expect(rows).toEqual([{ fsync: 'on', tcp: '', rolsuper: false, rolbypassrls: false }])
    expect(statSync(cluster.connection.host).mode & 0o777).toBe(0o700)
    await client.end()
    await cluster.close()
    expect(isInUse(cluster.site.cluster)).not.toBe(true)
  })

  test('the database uses another socket folder when the path is too long for a socket', async () => {
    dataDir = join(base, 'd'.repeat(100))
    const cluster = await openCluster({ dataDir, role: 'server', warn })
    expect(cluster.connection.host.length).toBeLessThan(90)
    await cluster.close()
    expect(existsSync(cluster.connection.host)).toBe(false)
  })

  test('the library links that an install without scripts omits are created', () => {
    const native = join(base, 'native')
    const { native: original = '' } = findBinaries(18)
    cpSync(join(original, 'pg-symlinks.json'), join(native, 'pg-symlinks.json'))
    mkdirSync(join(native, 'lib'))
    expect(linkLibraries(native)).toBe(true)
    expect(readlinkSync(join(native, 'lib/libpq.so.5'))).toMatch(/^libpq\.so\.5\.\d+$/)
  })

  test.runIf(isRoot)(
    'when OMS runs as root, the database runs as another account that owns only the cluster',
    async () => {
      const cluster = await openCluster({ dataDir, role: 'server', warn })
      expect(statSync(cluster.site.cluster).uid).not.toBe(0)
      expect(statSync(dataDir).uid).toBe(0)
      // The temporary folder of this test has mode 0700, like a home folder. The process enters the cluster folder
      // before it changes the account.
      expect(statSync(base).mode & 0o777).toBe(0o700)
      const pid = readPidFile(cluster.site.cluster)?.pid
      expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\t[1-9]/m)
      await cluster.close()
    },
  )

  test.runIf(isRoot)('the binaries are copied when the database account cannot access their folder', async () => {
    const { native = '', ...found } = findBinaries(18)
    const hidden = join(base, 'native')
    cpSync(native, hidden, { recursive: true, verbatimSymlinks: true })
    const open = mkdtempSync(join(tmpdir(), 'oms-open-'))
    try {
      chmodSync(open, 0o755)
      const copy = prepareBinaries(
        { ...found, native: hidden, bin: join(hidden, 'bin') },
        { uid: 55_432, gid: 55_432 },
        open,
      )
      expect(dirname(dirname(copy.bin))).toBe(open)
      expect(existsSync(join(copy.bin, 'postgres'))).toBe(true)
    } finally {
      rmSync(open, { recursive: true })
    }
  })

  test('a second server on the same data folder is refused with the folder and the process id', async () => {
    const { child } = await serve('idle')
    const second = await serve('idle')
    expect(await second.gone).toBe(1)
    expect(second.lines[0]).toContain(dataDir)
    expect(second.lines[0]).toContain(String(child.pid))
  })

  test('a command can run beside the server, and the database stops only after both have ended', async () => {
    const { child, gone } = await serve('idle')
    const tool = await openCluster({ dataDir, role: 'tool', warn })
    child.kill('SIGTERM')
    expect(await gone).toBe(0)
    expect(await countOf(tool)).toBe(0)
    await tool.close()
    expect(readPidFile(tool.site.cluster)).toBeUndefined()
  })

  test('an abort stops the database at once and keeps committed data, unless a command uses the database', async () => {
    const first = await openCluster({ dataDir, role: 'server', warn })
    const client = new pg.Client(first.connection)
    client.on('error', () => {})
    await client.connect()
    await client.query('create table marks (id int primary key)')
    await client.query('insert into marks values (1)')
    const tool = await openCluster({ dataDir, role: 'tool', warn })
    await first.abort()
    expect(await countOf(tool)).toBe(1)
    const started = Date.now()
    await tool.abort()
    expect(Date.now() - started).toBeLessThan(5_000)
    expect(isInUse(tool.site.cluster)).not.toBe(true)
    const again = await openCluster({ dataDir, role: 'server', warn })
    expect(await countOf(again)).toBe(1)
    await again.close()
  })

  test('an abort also ends a database that responds to no signal', async () => {
    const cluster = await openCluster({ dataDir, role: 'server', warn })
    process.kill(readPidFile(cluster.site.cluster)!.pid, 'SIGSTOP')
    await cluster.abort()
    expect(await pollUntil(5_000, 20, () => (isInUse(cluster.site.cluster) ? undefined : true))).toBe(true)
  })

  test('a new server attaches to the running database of a killed server', async () => {
    const first = await serve('idle')
    const before = readPidFile(join(dataDir, 'postgres'))?.pid
    first.child.kill('SIGKILL')
    await first.gone
    const second = await openCluster({ dataDir, role: 'server', warn })
    expect(readPidFile(second.site.cluster)?.pid).toBe(before)
    await second.close()
  })

  test('another process with the process id of a stale pid file is not taken for the database', async () => {
    const cluster = await openCluster({ dataDir, role: 'server', warn })
    const file = join(cluster.site.cluster, 'postmaster.pid')
    const text = readFileSync(file, 'utf8')
    await cluster.close()
    writeFileSync(file, text.replace(/^\d+/, String(process.pid)))
    const again = await openCluster({ dataDir, role: 'server', warn })
    expect(readPidFile(again.site.cluster)?.pid).not.toBe(process.pid)
    await again.close()
  })

  test('the database and the pool are restarted after the database was stopped', async () => {
    const cluster = await openCluster({ dataDir, role: 'server', warn })
    const options = { size: 4, embedded: true, warn, closeAfter: () => cluster.close() }
    const { pool, close } = await openPool(cluster.connection, options)
    const busy = await pool.connect()
    await busy.query('begin')
    await stopPostmaster(cluster.site)
    const started = Date.now()
    await expect(busy.query('select 1')).rejects.toThrow(/terminat|closed|not queryable/i)
    busy.release(true)
    const back = await pollUntil(10_000, 50, () =>
      pool
        .query('select 1')
        .then(() => true)
        .catch(() => undefined),
    )
    expect(back).toBe(true)
    expect(Date.now() - started).toBeLessThan(10_000)
    await close()
  })

  test('no acknowledged write is lost when the server is killed repeatedly', { timeout: 90_000 }, async () => {
    let acknowledged = 0
    for (let round = 0; round < 6; round += 1) {
      const { child, lines, gone } = await serve('write')
      expect(lines[0]).toBe('ready')
      await pollUntil(10_000, 5, () => (lines.length > 30 ? true : undefined))
      const postmaster = readPidFile(join(dataDir, 'postgres'))
      // Kills only the server, or the server and the database, in turn.
      child.kill('SIGKILL')
      if (round % 2 === 0 && postmaster) process.kill(postmaster.pid, 'SIGKILL')
      await gone
      acknowledged = Number(lines.at(-1))
      const cluster = await openCluster({ dataDir, role: 'server', warn })
      const kept = await countOf(cluster)
      expect(kept).toBeGreaterThanOrEqual(acknowledged)
      expect(kept).toBeLessThanOrEqual(acknowledged + 1)
      if (round % 3 === 0) await cluster.close()
      else process.kill(readPidFile(cluster.site.cluster)?.pid ?? 0, 'SIGQUIT')
      await cluster.close()
    }
    expect(acknowledged).toBeGreaterThan(150)
  })

  test('the cluster is opened again when the database dies during the connection attempt', async () => {
    const { child } = await serve('idle')
    child.kill('SIGKILL')
    const { pid } = readPidFile(join(dataDir, 'postgres'))!
    // A stopped postmaster leaves connections in its queue, and they are reset when it is killed.
    process.kill(pid, 'SIGSTOP')
    const opening = openCluster({ dataDir, role: 'server', warn })
    await sleep(300)
    process.kill(pid, 'SIGKILL')
    const cluster = await opening
    expect(readPidFile(cluster.site.cluster)?.pid).not.toBe(pid)
    await cluster.close()
  })
})
