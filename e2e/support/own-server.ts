import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ADMIN_PASSWORD } from './people.ts'

const READY_MS = 60_000

/** The built product with its own data directory, for a journey that kills the process. */
export class OwnServer {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'oms-own-'))
  readonly #environment: Readonly<Record<string, string>>
  #port = 0
  #child: ChildProcess | undefined

  constructor(environment: Readonly<Record<string, string>> = {}) {
    this.#environment = environment
    // PostgreSQL runs as another user when the process is root, and needs a socket directory that this user may enter.
    chmodSync(this.dataDir, 0o755)
  }

  get origin() {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Starts the process at the same port as before, and waits until it is ready. */
  async start() {
    this.#port ||= await freePort()
    const { DATABASE_URL: _, ...inherited } = process.env
    this.#child = spawn(process.execPath, ['dist/server.mjs'], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...inherited,
        DATA_DIR: this.dataDir,
        PORT: String(this.#port),
        OMS_ADMIN_PASSWORD: ADMIN_PASSWORD,
        OMS_LOG_LEVEL: 'error',
        ...this.#environment,
      },
    })
    const isReady = () =>
      fetch(`${this.origin}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    const since = Date.now()
    while (!(await isReady())) {
      if (Date.now() - since > READY_MS) throw new Error('the server did not become ready')
      await new Promise((done) => setTimeout(done, 100))
    }
  }

  /** Kills the process without warning, as a power failure does. */
  kill() {
    return this.#end('SIGKILL')
  }

  /** Stops the process and removes its data. */
  async stop() {
    await this.#end('SIGTERM')
    rmSync(this.dataDir, { recursive: true, force: true })
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM') {
    const child = this.#child
    this.#child = undefined
    if (!child) return
    const ended = new Promise((done) => child.once('exit', done))
    child.kill(signal)
    await ended
  }
}

/** Returns a port that no process uses now. */
async function freePort() {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}
