import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMain } from './lib/main.ts'
import { untilReady } from './lib/product.ts'
import { print, remark } from './lib/report.ts'

const PORT = 18_191
const ROUNDS = 5
const ROOT = join(import.meta.dirname, '..')
/** Where the data lies; `BENCH_PLACE` names another folder. */
const PLACE = process.env.BENCH_PLACE ?? join(ROOT, '.cache')
const FILES = 1000

/** From the launch of the bundle to its first 200, and the memory it and its database keep. */
export async function run() {
  const first: number[] = []
  const again: number[] = []
  let memory = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    // Where a person's lies: below the project, as open as the command makes it. Into a closed folder of root's the
    // database, which is another user then, has to be brought its programs.
    const dataDir = mkdtempSync(join(PLACE, 'start-'))
    chmodSync(dataDir, 0o755)
    first.push((await startOnce(dataDir)).milliseconds)
    const second = await startOnce(dataDir, round === 0)
    again.push(second.milliseconds)
    memory = Math.max(memory, second.megabytes)
    rmSync(dataDir, { recursive: true, force: true })
  }
  remark(`${FILES} files of one page each are made there in ${makeFiles().toFixed(0)} ms`)
  print({ name: 'first start to the first 200', value: median(first), unit: 'ms', bar: 1500, better: 'less' })
  print({ name: 'restart to the first 200', value: median(again), unit: 'ms', bar: 500, better: 'less' })
  print({ name: 'idle memory, node and database (PSS)', value: memory, unit: 'MB', bar: 200, better: 'less' })
}

/**
 * Milliseconds to make about as many files as a new database has: where a file system looks long for room, as it does
 * here and there on an old disk, that is most of a first start.
 */
function makeFiles() {
  const folder = mkdtempSync(join(PLACE, 'files-'))
  const page = Buffer.alloc(8192)
  const since = performance.now()
  for (let at = 0; at < FILES; at += 1) writeFileSync(join(folder, String(at)), page)
  const milliseconds = performance.now() - since
  rmSync(folder, { recursive: true })
  return milliseconds
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

async function startOnce(dataDir: string, weigh = false) {
  const { DATABASE_URL: _, ...inherited } = process.env
  const since = performance.now()
  const child = spawn(process.execPath, ['dist/server.mjs'], {
    cwd: ROOT,
    stdio: 'ignore',
    env: {
      ...inherited,
      DATA_DIR: dataDir,
      PORT: String(PORT),
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: join(ROOT, '.cache/compile'),
    },
  })
  await untilReady(`http://127.0.0.1:${PORT}`)
  const milliseconds = performance.now() - since
  // Idle: what the start left over has been collected and written by then.
  if (weigh) await new Promise((done) => setTimeout(done, 10_000))
  const megabytes = weigh ? [child.pid as number, ...databaseOf(dataDir)].reduce((sum, pid) => sum + pssOf(pid), 0) : 0
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await ended
  return { milliseconds, megabytes }
}

/** All PostgreSQL processes work in the cluster's folder. */
const databaseOf = (dataDir: string) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && workFolder(name) === join(dataDir, 'postgres'))
    .map(Number)

function workFolder(pid: string) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}

/** Shared pages are split among those who share them, so that the sum counts each once. */
const pssOf = (pid: number) =>
  Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024

if (isMain(import.meta)) await run()
