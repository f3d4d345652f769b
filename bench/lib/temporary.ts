import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = new Set<string>()
const servers = new Set<number>()
const STOP_WITHIN_MS = 15_000

process.once('exit', cleanUp)
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => process.exit(code))

/** Creates a directory that is removed when this process ends for any reason. */
export function temporaryFolder(prefix: string, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, prefix))
  folders.add(folder)
  return folder
}

export function removeTemporary(folder: string) {
  folders.delete(folder)
  rmSync(folder, { recursive: true, force: true })
}

/** Stops this server when the benchmark ends; temporary directories are removed afterwards. */
export const stopAtExit = (pid: number) => void servers.add(pid)
export const forgetServer = (pid: number) => void servers.delete(pid)

function cleanUp() {
  for (const pid of servers) terminate(pid)
  for (const pid of servers) waitFor(pid)
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

function terminate(pid: number) {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    servers.delete(pid)
  }
}

/** Blocks until the process has ended, because no asynchronous code runs during exit. */
function waitFor(pid: number) {
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  for (let waited = 0; waited < STOP_WITHIN_MS && isRunning(pid); waited += 50) Atomics.wait(sleeper, 0, 0, 50)
}

/** An ended process stays a zombie until its parent reaps it. */
function isRunning(pid: number) {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
