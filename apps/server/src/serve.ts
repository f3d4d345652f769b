import type { Server } from 'node:http'
import { pino } from 'pino'
import type { Database } from '#db/client.ts'
import { migrate } from '#db/migrate.ts'
import type { Config } from '#kernel/config.ts'
import { createKernel } from '#kernel/kernel.ts'
import { buildApp } from './app.ts'
import { fillDemo } from './demo/fill.ts'
import { DEMO_ACCOUNT, DEMO_PASSWORD } from './demo/vendor.ts'
import { explainFailure } from './failure.ts'
import { readableError } from './readable-stack.ts'
import { registerJobs } from './jobs.ts'
import { seed } from './seed.ts'

const STOP_WITHIN = 10_000
const DRAIN_WITHIN = 6_000
const PER_ADDRESS = 100

interface Start {
  readonly config: Config
  /** Under way since before this part of the program was loaded. */
  readonly opening: Promise<Database>
  /** Takes over what the database has to say from now on, and what it said so far. */
  readonly onWarning: (listener: (message: string) => void) => void
}

/** Runs the product until a signal stops it; rejects when it cannot start. */
export async function serve({ config, opening, onWarning }: Start) {
  const log = pino({ level: config.logLevel, serializers: { err: readableError } })
  onWarning((message) => log.warn(message))
  const database = await opening
  let stop = () => database.close()
  try {
    const applied = await migrate(database.connection)
    if (applied.length > 0) log.info({ applied }, 'migrated')
    const kernel = await createKernel({ config, database, log })
    const { oneTimePassword } = await seed(database, {
      passwords: kernel.passwords,
      adminPassword: config.adminPassword,
    })
    await kernel.permVersion.follow(kernel)
    // Before anybody can look: nobody sees a half-filled screen.
    if (config.demo) await fillDemo(kernel)
    const app = buildApp(kernel)
    registerJobs(kernel)
    stop = async () => {
      // Event streams never end by themselves: what is still open after this long is cut.
      setTimeout(() => app.server.closeAllConnections(), DRAIN_WITHIN).unref()
      await app.close()
      await kernel.close()
      await database.close()
    }
    limit(app.server, config.maxConnections)
    await app.listen({ host: config.host, port: config.port })
    const address = app.server.address()
    const port = typeof address === 'object' && address ? address.port : config.port
    process.stdout.write(
      `OMS 已启动：http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}/\n`,
    )
    if (config.demo) process.stdout.write(`演示账号 ${DEMO_ACCOUNT}，密码 ${DEMO_PASSWORD}（无须修改）\n`)
    else if (oneTimePassword)
      process.stdout.write(`管理员账号 admin，一次性密码 ${oneTimePassword}（首次登录须修改）\n`)
    kernel.jobs.start()
  } catch (error) {
    await stop().catch(() => {})
    throw error
  }
  stopOnSignal(stop)
}

function limit(server: Server, maxConnections: number) {
  server.maxConnections = maxConnections
  server.headersTimeout = 15_000
  // A large upload may take an hour; the time a body may take is limited route by route instead.
  server.requestTimeout = 0
  server.keepAliveTimeout = 10_000
  // Read when the server begins to listen, though the types know it as an option of its creation only.
  Object.assign(server, { connectionsCheckingInterval: 5_000 })
  limitPerAddress(server)
}

/** One stranger must not take all connections. The machine itself is exempt: a proxy may stand there. */
function limitPerAddress(server: Server) {
  const open = new Map<string, number>()
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    if (/^(::ffff:)?127\.|^::1$/.test(address)) return
    const count = (open.get(address) ?? 0) + 1
    open.set(address, count)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left > 0) open.set(address, left)
      else open.delete(address)
    })
    if (count > PER_ADDRESS) socket.destroy()
  })
}

function stopOnSignal(stop: () => Promise<unknown>) {
  let since = 0
  const onSignal = () => {
    // Ctrl-C reaches us twice, from the terminal and from npm; only a later one is impatience.
    if (since > 0) return Date.now() - since > 2_000 ? process.exit(1) : undefined
    since = Date.now()
    setTimeout(() => process.exit(1), STOP_WITHIN).unref()
    stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    )
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
}

function fail(error: unknown) {
  process.stderr.write(`${explainFailure(error)}\n`)
  process.exit(1)
}
