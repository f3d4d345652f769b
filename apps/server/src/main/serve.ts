import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '#core/database/client.ts'
import { migrateDatabase } from '#core/database/migrate.ts'
import type { Config } from '#core/config/config.ts'
import { assertSecretKey, assertSigningKey } from '#core/crypto/installation-keys.ts'
import type { Services } from '#core/services.ts'
import { createServices } from './services.ts'
import { Passwords } from '#core/auth/passwords.ts'
import { startSpoolSweep } from '#modules/system/file.ts'
import { registerDemoModel } from '#demo/demo-model.ts'
import { DEMO_ACCOUNT, DEMO_AD_AUDITOR, DEMO_AD_OPERATOR, DEMO_PASSWORD } from '#demo/vendor.ts'
import { explainFailure } from './explain-failure.ts'
import { registerDeviceSideJobs } from '#main/devices/device-jobs.ts'
import { registerJobs } from './jobs.ts'
import { createServers } from './listen.ts'
import { createLogger } from '#core/logging/logger.ts'
import { makeFirstPassword, seedDatabase } from './seed/seed.ts'

const STOP_WITHIN = 10_000
const DRAIN_WITHIN = 6_000
/** Time limit in milliseconds to stop the embedded database before a forced exit. */
const ABORT_WITHIN = 3_000
/**
 * Milliseconds between the failing probe and the closed port. A proxy reads the probe and stops using idle connections.
 */
const NOTICE_MS = 2_500

interface Start {
  readonly config: Config
  /** True when the database does not exist yet and `opening` creates it. */
  readonly isFirst: boolean
  /** Opening of the database, started before this part of the program was loaded. */
  readonly opening: Promise<Database>
  /** Registers the listener for database warnings. Earlier warnings are delivered too. */
  readonly onWarning: (listener: (message: string) => void) => void
}

/** Runs the server until a signal stops it. Rejects when the start fails. */
export async function runServer({ config, isFirst, opening, onWarning }: Start) {
  const log = createLogger(config.logLevel)
  const endStart = guardStart(log, opening)
  onWarning((message) => log.warn(message))
  const { adminPassword } = config
  const passwords = new Passwords()
  const firstPassword = isFirst ? makeFirstPassword(passwords, adminPassword) : undefined
  firstPassword?.catch(() => {})
  const database = await opening
  let stop = () => database.close()
  let isServing = false
  try {
    const applied = await migrateDatabase(database.connection)
    if (applied.length > 0) log.info({ applied }, 'migrated')
    await assertSecretKey(database, config)
    const services = await createServices({ config, database, log })
    stop = () => runAll([() => services.close(), () => database.close()])
    await assertSigningKey(services)
    const { oneTimePassword } = await seedDatabase(database, { passwords, adminPassword, firstPassword })
    await services.permissionVersion.follow(services)
    if (config.demo) await fillDemo(services)
    const serving = createServers(services)
    // Console processes run the console's jobs; a device process does not.
    if (config.role !== 'device') registerJobs(services)
    registerDeviceSideJobs(services)
    const stopSpoolSweep = startSpoolSweep(services)
    stop = () => shutDown({ services, database, serving, stopSpoolSweep, isServing })
    const port = await serving.listen()
    if (config.demo && config.role !== 'device') await registerDemoModel(services, port)
    printStart(config, port, oneTimePassword)
    isServing = true
    void services.jobs.start({ ownsSchedules: config.role !== 'device' })
  } catch (error) {
    await stop().catch(() => {})
    throw error
  }
  endStart(stop)
}

/**
 * Ends the process at once at a signal during the start, and at every uncaught error. Returns a function that ends the
 * start: later signals call its argument first.
 */
function guardStart(log: Logger, opening: Promise<Database>) {
  const exitAtOnce = () => void abortAndExit(opening)
  exitOnUncaughtError(log, exitAtOnce)
  process.on('SIGTERM', exitAtOnce).on('SIGINT', exitAtOnce)
  return (stop: () => Promise<unknown>) => {
    // Without any listener in between, Node would lose a signal that has arrived and is not delivered yet.
    stopOnSignal(stop, exitAtOnce)
    process.off('SIGTERM', exitAtOnce).off('SIGINT', exitAtOnce)
  }
}

let isAborting = false
/**
 * Stops the embedded database at once, and ends the process, for a signal during the start, an uncaught error, and a stop
 * that takes too long. A second call changes nothing.
 */
async function abortAndExit(opening: Promise<Database>) {
  if (isAborting) return
  isAborting = true
  // The exit never waits longer, also when the database does not respond.
  setTimeout(() => process.exit(1), ABORT_WITHIN)
  await opening.then((database) => database.abort()).catch(() => {})
  process.exit(1)
}

/** Logs an uncaught error and ends the process. */
function exitOnUncaughtError(log: Logger, exit: () => void) {
  // Node's report of an uncaught error prints all properties of the error, including query parameters.
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'uncaught error')
    exit()
  })
}

/**
 * Creates demo data before the port opens, so that nobody sees incomplete data. The code is loaded only for a demo,
 * because it loads the image library.
 */
async function fillDemo(services: Services) {
  const { createDemoData, registerDemoPulse } = await import('#demo/fill.ts')
  await createDemoData(services, (step) => process.stdout.write(`正在填充演示数据：${step}…\n`))
  registerDemoPulse(services)
}

/** Prints the address and the password of the first login. */
function printStart(config: Config, port: number, oneTimePassword: string | undefined) {
  process.stdout.write(`OMS 已启动：http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}/\n`)
  if (config.demo)
    process.stdout.write(
      `演示账号 ${DEMO_ACCOUNT}，密码 ${DEMO_PASSWORD}（无须修改）\n` +
        `广告由两人提交和通过：先用 ${DEMO_AD_OPERATOR}，再用 ${DEMO_AD_AUDITOR}，密码相同\n`,
    )
  else if (oneTimePassword) process.stdout.write(`管理员账号 admin，一次性密码 ${oneTimePassword}（首次登录须修改）\n`)
}

interface Running {
  readonly services: Services
  readonly database: Database
  readonly serving: ReturnType<typeof createServers>
  readonly stopSpoolSweep: () => void
  readonly isServing: boolean
}

/** Closes the port, then the services, then the database. */
async function shutDown({ services, database, serving, stopSpoolSweep, isServing }: Running) {
  stopSpoolSweep()
  services.shutdown.begin()
  if (isServing && services.config.trustProxy !== false) await sleep(NOTICE_MS)
  // Closes all remaining connections after this time.
  setTimeout(() => serving.server.closeAllConnections(), DRAIN_WITHIN).unref()
  await runAll([() => serving.close(), () => services.close(), () => database.close()])
}

/** Runs the steps in order. A step that fails does not prevent the next one; the first error is thrown at the end. */
async function runAll(steps: readonly (() => Promise<unknown>)[]) {
  const errors: unknown[] = []
  for (const step of steps)
    try {
      await step()
    } catch (error) {
      errors.push(error)
    }
  if (errors.length > 0) throw errors[0]
}

/** Stops at the first signal. A later signal, or a stop that takes too long, forces the exit. */
function stopOnSignal(stop: () => Promise<unknown>, exit: () => void) {
  let since = 0
  const onSignal = () => {
    // Ctrl-C arrives twice, from the terminal and from npm. Only a later signal means that the operator wants to force
    // the exit.
    if (since > 0) return Date.now() - since > 2_000 ? exit() : undefined
    since = Date.now()
    setTimeout(exit, STOP_WITHIN).unref()
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
