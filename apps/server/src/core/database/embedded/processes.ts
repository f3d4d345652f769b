import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

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
