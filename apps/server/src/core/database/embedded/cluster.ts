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
import { makeDirectory } from '#core/storage/local/local-files.ts'
import { type DirectoryLock, type Role, lockDirectory } from './directory-lock.ts'
import { type SystemAccount, findPostgresAccount, isFolderAccessible, EmbeddedDatabaseError } from './processes.ts'
import { syncFolder, APP_DATABASE, APP_ROLE, createCluster } from './cluster-template.ts'
import { findBinaries, prepareBinaries } from './binaries.ts'
import {
  ensureRunning,
  type RunningPostmaster,
  type ClusterSite,
  abortPostmaster,
  stopPostmaster,
} from './postmaster.ts'

export type Cluster = {
  /** Connection settings of the program's role, which is no superuser. */
  readonly connection: {
    readonly host: string
    readonly port: number
    readonly user: string
    readonly database: string
  }
  /** Paths and account of the cluster. Only tests and tools use them. */
  readonly site: ClusterSite
  close(): Promise<void>
  /**
   * Stops the database at once, for a process that must exit before `close` has ended. The database keeps running when a
   * command still uses it; the command stops the database at its end.
   */
  abort(): Promise<void>
}

export type ClusterOptions = {
  readonly dataDir: string
  readonly role: Role
  readonly warn: (message: string) => void
  /** Returns the key of the database template. Called only when a cluster is created. */
  readonly templateKey?: (() => Promise<string>) | undefined
  /** False in tests, because their cluster is deleted at the end. */
  readonly isDurable?: boolean
}

/** Longest folder path of a socket. Linux allows 107 bytes for the whole path; PostgreSQL's file name takes 14. */
const SOCKET_FOLDER_LIMIT = 90
const SYNC_AFTER = 3_000
/** Time limit for all processes of a killed database to end, also on a busy machine. */
const DYING_MS = 10_000
/** Time limits of an abort: to ask whether a command uses the database, and for the end of its processes. */
const ABORT_ASK_MS = 500
const ABORT_STOP_MS = 2_000

export const hasCluster = (dataDir: string) => existsSync(join(dataDir, 'postgres'))

/** Opens the database in `dataDir`, creates it when missing, and keeps it running until `close`. */
export async function openCluster({ dataDir, role, warn, ...options }: ClusterOptions): Promise<Cluster> {
  const isNew = !hasCluster(dataDir)
  const site = await prepareSite(dataDir, options)
  const sync = isNew ? syncLater(site.cluster) : async () => {}
  const { running, ...locked } = await startLocked(site, dataDir, role)
  const connection = connectionOf(running)
  let guard: DirectoryLock | undefined = locked.guard
  let isClosing = false

  const watch = ({ client }: DirectoryLock) => client.once('end', () => void (isClosing || revive()))
  /** Restarts the database at the same address after the session ended unexpectedly. */
  const revive = async () => {
    guard = undefined
    warn('内置数据库中断，正在恢复')
    while (!isClosing && !guard) {
      try {
        await ensureRunning({ ...site, sockets: running.sockets })
        guard = await lockDirectory(connection, dataDir, role)
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
    removeSockets(site, running)
  }
  const abort = async () => {
    isClosing = true
    if (await isLastUser(guard)) await abortPostmaster(site, ABORT_STOP_MS)
  }
  return { connection, site, close, abort }
}

/** Removes the sockets. They are in the temporary folder when the home folder is not accessible. */
function removeSockets({ sockets }: ClusterSite, running: RunningPostmaster) {
  if (running.sockets === sockets) rmSync(sockets, { recursive: true, force: true })
}

/** Releases the folder for an abort. Returns true when nobody else uses the folder, or when the session does not respond. */
const isLastUser = (guard: DirectoryLock | undefined) =>
  guard ? Promise.race([guard.release(), sleep(ABORT_ASK_MS, true)]) : true

/** Starts the database where needed, and locks the folder. A dying database accepts a connection and drops it. */
async function startLocked(
  site: ClusterSite,
  dataDir: string,
  role: Role,
): Promise<{ running: RunningPostmaster; guard: DirectoryLock }> {
  for (const deadline = Date.now() + DYING_MS; ; await sleep(50)) {
    const running = await ensureRunning(site)
    try {
      return { running, guard: await lockDirectory(connectionOf(running), dataDir, role) }
    } catch (error) {
      if (error instanceof EmbeddedDatabaseError || Date.now() > deadline) throw error
    }
  }
}

/** Runs fsync on a new cluster after the first requests, at the latest when called explicitly. */
function syncLater(cluster: string) {
  let done: Promise<void> | undefined
  const now = () => (done ??= syncFolder(cluster))
  setTimeout(() => void now(), SYNC_AFTER).unref()
  return now
}

function connectionOf({ sockets }: RunningPostmaster) {
  return { host: sockets, port: 5432, user: APP_ROLE, database: APP_DATABASE } satisfies ClientConfig
}

type SiteOptions = Pick<ClusterOptions, 'templateKey' | 'isDurable'>

async function prepareSite(dataDir: string, { templateKey, isDurable = true }: SiteOptions): Promise<ClusterSite> {
  const cluster = join(prepareFolder(dataDir), 'postgres')
  const account = findPostgresAccount(cluster)
  const binaries = prepareBinaries(findBinaries(majorOf(cluster)), account, dataDir)
  if (!existsSync(cluster)) await createCluster(binaries, cluster, account, await templateKey?.())
  const sockets = socketFolder(dataDir, account)
  return { binaries, cluster, sockets, logFile: join(dataDir, 'postgres.log'), account, isDurable }
}

function prepareFolder(dataDir: string): string {
  try {
    makeDirectory(dataDir)
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

function socketFolder(dataDir: string, account: SystemAccount | undefined): string {
  const near = join(dataDir, 'run')
  if (Buffer.byteLength(near) <= SOCKET_FOLDER_LIMIT && isFolderAccessible(dataDir, account)) {
    mkdirSync(near, { recursive: true, mode: 0o700 })
    return changeOwner(near, account)
  }
  const name = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16)
  const far = join(tmpdir(), `oms-pg-${name}`)
  mkdirSync(far, { recursive: true, mode: 0o700 })
  // All accounts can write to the temporary folder, so the folder may belong to another account.
  const { uid } = lstatSync(far)
  const isOurs = lstatSync(far).isDirectory() && (uid === process.geteuid?.() || uid === account?.uid)
  return changeOwner(isOurs ? far : mkdtempSync(join(tmpdir(), 'oms-pg-')), account)
}

function changeOwner(folder: string, account: SystemAccount | undefined): string {
  chmodSync(folder, 0o700)
  if (account) chownSync(folder, account.uid, account.gid)
  return folder
}
