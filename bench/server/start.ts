import { spawn } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMain } from '../lib/main.ts'
import { untilReady } from '../lib/product.ts'
import { print, remark } from '../lib/report.ts'
import { forgetServer, removeTemporary, stopAtExit, temporaryFolder } from '../lib/temporary.ts'

const PORT = 18_191
const ROUNDS = 5
const ROOT = join(import.meta.dirname, '../..')
/** Data directory; `BENCH_PLACE` sets another directory. */
const PLACE = process.env.BENCH_PLACE ?? join(ROOT, '.cache')
const FILES = 1000

/** Measures the time from start to the first 200, and the resident memory of the server and its database. */
export async function run() {
  const first: number[] = []
  const again: number[] = []
  let memory = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    // Uses a directory below the project, as for a user. In a private directory of root, the database user would
    // need a copy of the PostgreSQL binaries.
    const dataDir = temporaryFolder('start-', PLACE)
    chmodSync(dataDir, 0o755)
    first.push((await startOnce(dataDir)).milliseconds)
    const second = await startOnce(dataDir, round === 0)
    again.push(second.milliseconds)
    memory = Math.max(memory, second.megabytes)
    removeTemporary(dataDir)
  }
  remark(`${FILES} files of one page each are made there in ${makeFiles().toFixed(0)} ms`)
  print({ name: 'first start to the first 200', value: median(first), unit: 'ms', bar: 1500, better: 'less' })
  print({ name: 'restart to the first 200', value: median(again), unit: 'ms', bar: 500, better: 'less' })
  print({ name: 'idle memory, node and database (PSS)', value: memory, unit: 'MB', bar: 200, better: 'less' })
}

/**
 * Returns the milliseconds to create as many files as a new database has. On file systems that allocate slowly this
 * is most of a first start.
 */
function makeFiles() {
  const folder = temporaryFolder('files-', PLACE)
  const page = Buffer.alloc(8192)
  const since = performance.now()
  for (let at = 0; at < FILES; at += 1) writeFileSync(join(folder, String(at)), page)
  const milliseconds = performance.now() - since
  removeTemporary(folder)
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
  stopAtExit(child.pid as number)
  await untilReady(`http://127.0.0.1:${PORT}`)
  const milliseconds = performance.now() - since
  // Waits until idle: garbage of the start is collected and dirty pages are written.
  if (weigh) await new Promise((done) => setTimeout(done, 10_000))
  const megabytes = weigh ? [child.pid as number, ...databaseOf(dataDir)].reduce((sum, pid) => sum + pssOf(pid), 0) : 0
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await ended
  forgetServer(child.pid as number)
  return { milliseconds, megabytes }
}

/** All PostgreSQL processes have the cluster's directory as working directory. */
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

/**
 * Uses the proportional set size, which divides shared pages among their processes, so that the sum counts each page
 * once.
 */
const pssOf = (pid: number) =>
  Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024

if (isMain(import.meta)) await run()
