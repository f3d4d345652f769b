import { spawn } from 'node:child_process'
import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import {
  type SystemAccount,
  isFolderAccessible,
  EmbeddedDatabaseError,
  isAlive,
  isInUse,
  pollUntil,
} from './processes.ts'
import type { Binaries } from './binaries.ts'

/** Paths, account and settings needed to start the cluster. */
export type ClusterSite = {
  readonly binaries: Binaries
  readonly cluster: string
  readonly sockets: string
  readonly logFile: string
  readonly account: SystemAccount | undefined
  /** False for a cluster that is deleted or archived afterwards. A power failure may damage such a cluster. */
  readonly isDurable: boolean
}

export type RunningPostmaster = { readonly pid: number; readonly sockets: string }

const MIB = 2 ** 20
const LOG_LIMIT = 10 * MIB

/** Reads the file that PostgreSQL writes about its running postmaster. */
export function readPidFile(cluster: string): (RunningPostmaster & { ready: boolean }) | undefined {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), sockets: lines[4] ?? '', ready: lines[7]?.trim() === 'ready' }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Attaches to a running postmaster, or starts one. Safe for concurrent calls from several processes. */
export async function ensureRunning(site: ClusterSite): Promise<RunningPostmaster> {
  let failure = ''
  const running = await pollUntil(60_000, 50, async () => {
    const left = readPidFile(site.cluster)
    if (left && isAlive(left.pid) && isInUse(site.cluster) !== false) return left.ready ? left : undefined
    // Processes of a dying cluster still hold its shared memory: wait for them. Without processes, the file is stale.
    if (left && isInUse(site.cluster)) return undefined
    if (left && isInUse(site.cluster) === false) removePidFile(site, left)
    const started = await start(site)
    if (typeof started !== 'string') return started
    if (!/lock file .* already exists|pre-existing shared memory|shared memory block/.test(started))
      throw startFailure(site, started)
    failure = started
    return undefined
  })
  if (!running) throw startFailure(site, failure || '60 秒内未就绪')
  return running
}

const startFailure = ({ logFile }: ClusterSite, reason: string) =>
  new EmbeddedDatabaseError(`内置数据库启动失败：${reason}（日志 ${logFile}）`)

/** Deletes a stale pid file. Another process may have the same id by now, and PostgreSQL would refuse to start. */
function removePidFile({ cluster, sockets }: ClusterSite, left: RunningPostmaster) {
  for (const folder of new Set([sockets, left.sockets])) {
    if (!folder) continue
    rmSync(join(folder, '.s.PGSQL.5432.lock'), { force: true })
    rmSync(join(folder, '.s.PGSQL.5432'), { force: true })
  }
  rmSync(join(cluster, 'postmaster.pid'), { force: true })
}

/** Starts the postmaster. Returns the running postmaster, or the error line that PostgreSQL printed. */
async function start(site: ClusterSite): Promise<RunningPostmaster | string> {
  const log = openLog(site.logFile)
  const from = fstatSync(log).size
  const { uid, gid } = site.account ?? {}
  // The process enters the folder before it changes the account, so /proc/self/cwd works below an inaccessible home
  // folder.
  const folder = isFolderAccessible(site.cluster, site.account) ? site.cluster : '/proc/self/cwd'
  const child = spawn(
    join(site.binaries.bin, 'postgres'),
    ['-D', folder, '-k', site.sockets, ...settings(site.isDurable)],
    {
      cwd: site.cluster,
      // Own process group: Ctrl-C reaches only the server, which stops PostgreSQL after the last request.
      detached: true,
      env: { PATH: process.env.PATH },
      stdio: ['ignore', log, log],
      ...(uid !== undefined && gid !== undefined && { uid, gid }),
    },
  )
  let ended: string | undefined
  child.once('error', (error) => (ended = error.message))
  child.once('exit', (code, signal) => (ended ??= lastLine(site.logFile, from) ?? `退出 ${code ?? signal}`))
  child.unref()
  closeSync(log)
  const outcome = await pollUntil(60_000, 5, () => {
    if (ended !== undefined) return ended
    const file = readPidFile(site.cluster)
    return file?.ready && file.pid === child.pid ? file : undefined
  })
  child.removeAllListeners('exit')
  return outcome ?? '60 秒内未就绪'
}

const DURABLE = ['fsync', 'synchronous_commit', 'full_page_writes']

function settings(isDurable: boolean): string[] {
  const memory = Math.min(process.constrainedMemory() || Infinity, totalmem()) / MIB
  const buffers = memory < 1024 ? 64 : Math.round(Math.min(1024, Math.max(128, memory / 32)))
  const values = {
    listen_addresses: '',
    unix_socket_permissions: '0700',
    ...Object.fromEntries(DURABLE.map((name) => [name, isDurable ? 'on' : 'off'])),
    random_page_cost: '1.1',
    shared_buffers: `${buffers}MB`,
    effective_cache_size: `${Math.round(Math.max(256, memory / 2))}MB`,
    max_connections: '100',
    log_line_prefix: '%m [%p] ',
    // Omits DETAIL and CONTEXT, which repeat values of rows.
    log_error_verbosity: 'terse',
    jit: 'off',
    ...(hasSmallSharedMemory() && { dynamic_shared_memory_type: 'mmap' }),
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Returns true when shared memory is small. Containers provide 64 MiB, which one parallel query can exhaust. */
function hasSmallSharedMemory(): boolean {
  try {
    const { bsize, blocks } = statfsSync('/dev/shm')
    return bsize * blocks < 256 * MIB
  } catch {
    return process.platform === 'linux'
  }
}

function openLog(path: string): number {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT) renameSync(path, `${path}.1`)
  return openSync(path, 'a+', 0o600)
}

function lastLine(path: string, from: number): string | undefined {
  const file = openSync(path, 'r')
  const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - from))
  readSync(file, bytes, 0, bytes.length, from)
  closeSync(file)
  const lines = bytes.toString('utf8').trim().split('\n')
  return (lines.findLast((line) => /FATAL|PANIC|error while loading/.test(line)) ?? lines.at(-1))?.trim() || undefined
}

/**
 * Stops the postmaster with an immediate shutdown: PostgreSQL ends its processes at once, and runs recovery at the next
 * start. Committed data is kept. Kills processes that do not end.
 */
export async function abortPostmaster({ cluster }: ClusterSite, withinMs: number): Promise<void> {
  const running = readPidFile(cluster)
  if (!running || !isAlive(running.pid)) return
  const gone = () => (isAlive(running.pid) ? undefined : true)
  process.kill(running.pid, 'SIGQUIT')
  if (await pollUntil(withinMs, 5, gone)) return
  process.kill(running.pid, 'SIGKILL')
}

/** Stops the postmaster with a fast shutdown: sessions end, and no committed data is lost. */
export async function stopPostmaster(site: ClusterSite): Promise<void> {
  const running = readPidFile(site.cluster)
  if (!running || !isAlive(running.pid)) return
  const gone = () => (isAlive(running.pid) ? undefined : true)
  process.kill(running.pid, 'SIGINT')
  if (await pollUntil(8_000, 5, gone)) return
  // Immediate shutdown: PostgreSQL runs recovery at the next start.
  process.kill(running.pid, 'SIGQUIT')
  await pollUntil(5_000, 20, gone)
}
