import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Of `admin`. */
export const PASSWORD = 'Bench-admin-5'

/** The built product on a data directory of its own. */
export interface Product {
  readonly url: string
  readonly pid: number
  readonly dataDir: string
  /** Folder of the embedded database's socket; role and database are `oms`. */
  readonly socket: string
  /** A session of `admin`, as an API client has it. */
  login(): Promise<string>
  stop(): Promise<void>
}

/** Starts `dist/server.mjs` and waits until it is ready. */
export async function startProduct({
  port,
  env = {},
  database = 'embedded',
}: {
  port: number
  env?: Record<string, string>
  /** `given`: the one `env` names, which is somebody else's. */
  database?: 'embedded' | 'given'
}): Promise<Product> {
  const dataDir = mkdtempSync(join(tmpdir(), 'oms-bench-'))
  // The database runs as another user when we are root, and keeps its socket here only where it may enter.
  chmodSync(dataDir, 0o755)
  const { DATABASE_URL: _, ...inherited } = process.env
  const child = spawn(process.execPath, ['dist/server.mjs'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...inherited,
      DATA_DIR: dataDir,
      PORT: String(port),
      OMS_ADMIN_PASSWORD: PASSWORD,
      OMS_LOG_LEVEL: 'error',
      OMS_RATE_API: '1000000',
      OMS_RATE_LOGIN: '1000000',
      ...env,
    },
  })
  // A bench that fails half-way must not leave a server behind.
  process.once('exit', () => child.kill('SIGTERM'))
  const url = `http://127.0.0.1:${port}`
  await untilReady(url)
  return {
    url,
    pid: child.pid as number,
    dataDir,
    socket: database === 'embedded' ? socketOf(dataDir) : '',
    login: () => login(url),
    stop: () => stop(child, dataDir),
  }
}

const socketOf = (dataDir: string) => {
  const near = join(dataDir, 'run')
  if (!readdirSync(dataDir).includes('run')) throw new Error(`no socket below ${dataDir}`)
  return near
}

/** Polls every 5 ms; answers when the first 200 came. */
export async function untilReady(url: string) {
  for (;;) {
    const ready = await fetch(`${url}/readyz`).then(
      (reply) => reply.ok,
      () => false,
    )
    if (ready) return
    await new Promise((done) => setTimeout(done, 5))
  }
}

/**
 * Waits until the server does next to nothing for three seconds: it goes on reading into its memory what was put into the
 * database, devices first, then their lists and tasks.
 */
export async function untilQuiet({ pid }: Product) {
  for (let quiet = 0; quiet < 3; ) {
    const before = ticksOf(pid)
    await new Promise((done) => setTimeout(done, 1000))
    quiet = ticksOf(pid) - before < 5 ? quiet + 1 : 0
  }
}

/** Hundredths of a second of processor time. */
function ticksOf(pid: number) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return Number(fields[11]) + Number(fields[12])
}

async function login(url: string) {
  // Loading rows blocks this process: sockets closed meanwhile must be noticed before one is used again.
  await new Promise((done) => setTimeout(done, 50))
  const pswdMd5 = createHash('md5').update(PASSWORD).digest('hex')
  const reply = await fetch(`${url}/api/v1/account/login`, {
    method: 'POST',
    body: new URLSearchParams({ account: 'admin', pswdMd5 }),
  })
  const { data } = (await reply.json()) as { data: { token: string } }
  return data.token
}

async function stop(child: ChildProcess, dataDir: string) {
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await ended
  rmSync(dataDir, { recursive: true, force: true })
}
