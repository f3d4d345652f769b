import { readFileSync, statSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The embedded database is unavailable. The message is the complete line that the operator sees. */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError'
}

/** Account that PostgreSQL runs as when it differs from the server's account. */
export type SystemAccount = { readonly uid: number; readonly gid: number }

/** An unused id. Under `nobody`, other daemons could read the cluster. */
const UNUSED: SystemAccount = { uid: 55_432, gid: 55_432 }

const isRoot = () => process.geteuid?.() === 0

/**
 * Returns the account for PostgreSQL, which refuses to run as root. Root gives this account only the cluster folder.
 */
export function findPostgresAccount(cluster: string): SystemAccount | undefined {
  if (!isRoot()) return undefined
  const owner = statSync(cluster, { throwIfNoEntry: false })
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : UNUSED
}

/** Returns an account with a name, which `initdb` needs and `postgres` does not. */
export function findSystemUserForInitdb(): SystemAccount | undefined {
  if (!isRoot()) return undefined
  const line = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m)
  return { uid: Number(line?.[1] ?? 65_534), gid: Number(line?.[2] ?? 65_534) }
}

/** Returns true when `account` can reach this folder. A parent folder with mode 0700 prevents access. */
export function isFolderAccessible(folder: string, account: SystemAccount | undefined): boolean {
  if (!account) return true
  const { uid, gid, mode } = statSync(folder)
  const bits = uid === account.uid ? mode >> 6 : gid === account.gid ? mode >> 3 : mode
  const parent = dirname(folder)
  return (bits & 1) === 1 && (parent === folder || isFolderAccessible(parent, account))
}

/**
 * Returns true when the process is alive and no zombie. In containers killed processes may stay zombies, which `kill 0`
 * still finds.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2)[0] !== 'Z'
  } catch {
    return process.platform !== 'linux'
  }
}

/**
 * Returns true when a PostgreSQL process has the cluster folder as its working directory, as all its processes do.
 * Returns undefined on systems without /proc.
 */
export function isInUse(cluster: string): boolean | undefined {
  if (process.platform !== 'linux') return undefined
  const folder = realpathSync(cluster)
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && folderOf(name) === folder)
}

function folderOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

/** Calls `ask` until it returns a value, for at most `milliseconds`. */
export async function pollUntil<T>(
  milliseconds: number,
  pause: number,
  ask: () => T | undefined | Promise<T | undefined>,
) {
  const deadline = Date.now() + milliseconds
  for (;;) {
    const answer = await ask()
    if (answer !== undefined || Date.now() > deadline) return answer
    await sleep(pause)
  }
}
