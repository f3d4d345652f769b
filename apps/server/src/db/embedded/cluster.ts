import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import { makeFolder } from '#kernel/files/make-folder.ts'
import { type Account, accountFor, isReachable } from './account.ts'
import { syncFolder } from './archive.ts'
import { findBinaries, prepareBinaries } from './binaries.ts'
import { type Guard, type Role, takeGuard } from './guard.ts'
import { ensureRunning, type Running, type Site, stopPostmaster } from './postmaster.ts'
import { EmbeddedDatabaseError } from './problem.ts'
import { APP_DATABASE, APP_ROLE, createCluster } from './template.ts'

export type Cluster = {
  /** As the program's own role, which is not a superuser. */
  readonly connection: {
    readonly host: string
    readonly port: number
    readonly user: string
    readonly database: string
  }
  /** The socket path limit and PostgreSQL's own names are taken care of; this is for tests and tools. */
  readonly site: Site
  close(): Promise<void>
}

export type ClusterOptions = {
  readonly dataDir: string
  readonly role: Role
  readonly warn: (message: string) => void
  /** Of the furniture a new cluster starts with; asked for only when one is made. */
  readonly furnitureKey?: (() => Promise<string>) | undefined
}

/** Linux allows 107 bytes for the whole path of a socket; PostgreSQL's file name takes 14. */
const SOCKET_FOLDER_LIMIT = 90
const SYNC_AFTER = 3_000

export const hasCluster = (dataDir: string) => existsSync(join(dataDir, 'postgres'))

/** Opens the database in `dataDir`, making it if it is not there, and keeps it running until `close`. */
export async function openCluster({ dataDir, role, warn, furnitureKey }: ClusterOptions): Promise<Cluster> {
  const isNew = !hasCluster(dataDir)
  const site = await settle(dataDir, furnitureKey)
  const sync = isNew ? syncLater(site.cluster) : async () => {}
  const running = await ensureRunning(site)
  const connection = connectionOf(running)
  let guard: Guard | undefined = await takeGuard(connection, dataDir, role)
  let isClosing = false

  const watch = ({ client }: Guard) => {
    client.once('end', () => {
      if (!isClosing) void revive()
    })
  }
  /** The session ended although nobody closed it, so the database went away: bring it back at the same address. */
  const revive = async () => {
    guard = undefined
    warn('内置数据库中断，正在恢复')
    while (!isClosing && !guard) {
      try {
        await ensureRunning({ ...site, sockets: running.sockets })
        guard = await takeGuard(connection, dataDir, role)
        watch(guard)
        warn('内置数据库已恢复')
      } catch (error) {
        warn(error instanceof Error ? error.message : String(error))
        await sleep(500)
      }
    }
  }

  watch(guard)
  const close = async () => {
    isClosing = true
    await sync()
    if (guard && !(await guard.release())) return
    await stopPostmaster(site)
    // Below a closed home the sockets lie in the temporary folder: leave nothing there.
    if (running.sockets === site.sockets) rmSync(site.sockets, { recursive: true, force: true })
  }
  return { connection, site, close }
}

/** Brings a new cluster to the disk when the first requests are through, at the latest when asked to. */
function syncLater(cluster: string) {
  let done: Promise<void> | undefined
  const now = () => (done ??= syncFolder(cluster))
  setTimeout(() => void now(), SYNC_AFTER).unref()
  return now
}

function connectionOf({ sockets }: Running) {
  return { host: sockets, port: 5432, user: APP_ROLE, database: APP_DATABASE } satisfies ClientConfig
}

async function settle(dataDir: string, furnitureKey: ClusterOptions['furnitureKey']): Promise<Site> {
  const cluster = join(prepareFolder(dataDir), 'postgres')
  const account = accountFor(cluster)
  const binaries = prepareBinaries(findBinaries(majorOf(cluster)), account, dataDir)
  if (!existsSync(cluster)) await createCluster(binaries, cluster, account, await furnitureKey?.())
  const sockets = socketFolder(dataDir, account)
  return { binaries, cluster, sockets, logFile: join(dataDir, 'postgres.log'), account }
}

function prepareFolder(dataDir: string): string {
  try {
    makeFolder(dataDir)
    return realpathSync(dataDir)
  } catch (error) {
    throw new EmbeddedDatabaseError(`不能使用数据目录 ${dataDir}：${error instanceof Error ? error.message : error}`)
  }
}

function majorOf(cluster: string): number | undefined {
  if (!existsSync(cluster)) return undefined
  try {
    return Number.parseInt(readFileSync(join(cluster, 'PG_VERSION'), 'utf8'), 10)
  } catch {
    throw new EmbeddedDatabaseError(`数据目录 ${cluster} 读不了：属主不是当前账号，或它不是数据库目录`)
  }
}

function socketFolder(dataDir: string, account: Account | undefined): string {
  const near = join(dataDir, 'run')
  if (Buffer.byteLength(near) <= SOCKET_FOLDER_LIMIT && isReachable(dataDir, account)) {
    mkdirSync(near, { recursive: true, mode: 0o700 })
    return handOver(near, account)
  }
  const name = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16)
  const far = join(tmpdir(), `oms-pg-${name}`)
  mkdirSync(far, { recursive: true, mode: 0o700 })
  // The temporary folder is everybody's: a stranger may have put something under this name before us.
  const { uid } = lstatSync(far)
  const isOurs = lstatSync(far).isDirectory() && (uid === process.geteuid?.() || uid === account?.uid)
  return handOver(isOurs ? far : mkdtempSync(join(tmpdir(), 'oms-pg-')), account)
}

function handOver(folder: string, account: Account | undefined): string {
  chmodSync(folder, 0o700)
  if (account) chownSync(folder, account.uid, account.gid)
  return folder
}
