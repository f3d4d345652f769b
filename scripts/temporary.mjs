import { accessSync, chmodSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { availableMemory } from 'node:process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY_FOLDER = '/dev/shm'
/** Free memory that the databases and files of a test run need, with a reserve for its processes. */
const ENOUGH_BYTES = 6 * 2 ** 30

/**
 * Returns the folder for temporary files of tests: a `TMPDIR` that is set, Linux's folder in memory when it has enough
 * room, otherwise the usual folder. Each test file copies a database, which takes about ten times as long on a disk.
 */
export const findTemporaryFolder = () => (!process.env.TMPDIR && isMemoryFolderUsable() ? MEMORY_FOLDER : tmpdir())

function isMemoryFolderUsable() {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK)
    const { bsize, bavail } = statfsSync(MEMORY_FOLDER)
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === MEMORY_FOLDER)
    const mayExecute = mount !== undefined && !mount.split(' ')[3].split(',').includes('noexec')
    return mayExecute && Math.min(bsize * bavail, availableMemory()) >= ENOUGH_BYTES
  } catch {
    return false
  }
}

/** Runs `work` with a temporary folder of its own, and removes the folder afterwards. */
export async function withTemporaryFolder(work) {
  const folder = mkdtempSync(join(findTemporaryFolder(), 'oms-tests-'))
  // PostgreSQL runs as another account when the process is root.
  chmodSync(folder, 0o1777)
  process.env.TMPDIR = folder
  try {
    return await work()
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}
