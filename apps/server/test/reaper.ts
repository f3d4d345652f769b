import { readdirSync, readlinkSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Deletes the folder of a test run after the run ends in any way. The pipe to the test run closes at its end; vitest
 * exits at once when interrupted.
 */
const [folder = ''] = process.argv.slice(2)

const working = () => {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && folderOf(name).startsWith(`${folder}/`))
  } catch {
    return []
  }
}

function folderOf(pid: string) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

function end(pid: string) {
  try {
    process.kill(Number(pid), 'SIGQUIT')
  } catch {
    // The process has already ended.
  }
}

async function clear() {
  for (let tries = 0; tries < 50 && working().length > 0; tries += 1) {
    working().forEach(end)
    await sleep(100)
  }
  rmSync(folder, { recursive: true, force: true })
}

if (!folder.includes('oms-test-')) throw new Error('Only a folder made by the tests may be cleared')
process.stdin.resume().once('end', () => void clear().then(() => process.exit(0)))
