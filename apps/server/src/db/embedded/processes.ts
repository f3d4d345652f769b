import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Alive and not a zombie: in a container nobody may ever collect a killed process, and `kill 0` still finds it. */
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
 * Whether any PostgreSQL process works in the cluster folder: all of them have it as their working directory.
 * Undefined where there is no /proc to ask.
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

/** Asks again and again until there is an answer, for at most `milliseconds`. */
export async function poll<T>(milliseconds: number, pause: number, ask: () => T | undefined | Promise<T | undefined>) {
  const deadline = Date.now() + milliseconds
  for (;;) {
    const answer = await ask()
    if (answer !== undefined || Date.now() > deadline) return answer
    await sleep(pause)
  }
}
