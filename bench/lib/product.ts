import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { forgetServer, removeTemporary, temporaryFolder, stopAtExit } from './temporary.ts'

/** Password of `admin`. */
export const PASSWORD = 'Bench-admin-5'

/** The built product with its own data directory. */
export interface Product {
  readonly url: string
  readonly pid: number
  readonly dataDir: string
  /** Socket directory of the embedded database; role and database are `oms`. */
  readonly socket: string
  /** An API session of `admin`. */
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
  /** True when `env` contains the data directory, which this process then does not remove. */
  database?: 'embedded' | 'given'
}): Promise<Product> {
  const dataDir = temporaryFolder('oms-bench-')
  // PostgreSQL runs as another user when the process is root, and needs a socket directory that this user may enter.
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
  stopAtExit(child.pid as number)
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

/** Returns the environment of a second process on this product's database, with the shared keys. */
export const environmentBeside = ({ socket, dataDir }: Product) => ({
  DATABASE_URL: `postgres://oms@localhost/oms?host=${encodeURIComponent(socket)}`,
  OMS_SECRET_KEY: readFileSync(join(dataDir, 'secret.key'), 'utf8').trim(),
  OMS_SIGNING_KEY_FILE: join(dataDir, 'signing.key'),
})

const socketOf = (dataDir: string) => {
  const near = join(dataDir, 'run')
  if (!readdirSync(dataDir).includes('run')) throw new Error(`no socket below ${dataDir}`)
  return near
}

/** Polls every 5 ms and resolves at the first 200. */
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
 * Waits until the server is idle for three seconds: after a bulk load it reads devices, lists and tasks into memory.
 */
export async function untilQuiet({ pid }: Product) {
  for (let quiet = 0; quiet < 3; ) {
    const before = ticksOf(pid)
    await new Promise((done) => setTimeout(done, 1000))
    quiet = ticksOf(pid) - before < 5 ? quiet + 1 : 0
  }
}

/** CPU time of a process in hundredths of a second. */
export function ticksOf(pid: number) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return Number(fields[11]) + Number(fields[12])
}

async function login(url: string) {
  // Loading rows blocks this process, so closed sockets must be detected before a connection is reused.
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
  forgetServer(child.pid as number)
  removeTemporary(dataDir)
}
