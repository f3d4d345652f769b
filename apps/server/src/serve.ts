import { pino } from 'pino'
import type { Database } from '#db/client.ts'
import { migrate } from '#db/migrate.ts'
import type { Config } from '#kernel/config.ts'
import { createKernel } from '#kernel/kernel.ts'
import { Passwords } from '#kernel/passwords.ts'
import { fillDemo } from './demo/fill.ts'
import { registerDemoPulse } from './demo/pulse.ts'
import { DEMO_ACCOUNT, DEMO_PASSWORD } from './demo/vendor.ts'
import { explainFailure } from './failure.ts'
import { registerDeviceSideJobs } from './device-side/jobs.ts'
import { registerJobs } from './jobs.ts'
import { servingFor } from './listen.ts'
import { readableError } from './readable-stack.ts'
import { makeFirstPassword, seed } from './seed.ts'

const STOP_WITHIN = 10_000
const DRAIN_WITHIN = 6_000

interface Start {
  readonly config: Config
  /** There is no database yet: `opening` makes it. */
  readonly isFirst: boolean
  /** Under way since before this part of the program was loaded. */
  readonly opening: Promise<Database>
  /** Takes over what the database has to say from now on, and what it said so far. */
  readonly onWarning: (listener: (message: string) => void) => void
}

/** Runs the product until a signal stops it; rejects when it cannot start. */
export async function serve({ config, isFirst, opening, onWarning }: Start) {
  const log = pino({ level: config.logLevel, serializers: { err: readableError } })
  onWarning((message) => log.warn(message))
  const passwords = new Passwords()
  const firstPassword = isFirst ? makeFirstPassword(passwords, config.adminPassword) : undefined
  firstPassword?.catch(() => {})
  const database = await opening
  let stop = () => database.close()
  try {
    const applied = await migrate(database.connection)
    if (applied.length > 0) log.info({ applied }, 'migrated')
    const kernel = await createKernel({ config, database, log })
    const { oneTimePassword } = await seed(database, {
      passwords,
      adminPassword: config.adminPassword,
      firstPassword,
    })
    await kernel.permVersion.follow(kernel)
    // Before anybody can look: nobody sees a half-filled screen.
    if (config.demo) await fillDemo(kernel)
    if (config.demo) registerDemoPulse(kernel)
    const serving = servingFor(kernel)
    // A process for devices leaves the console's jobs to those who serve the console.
    if (config.role !== 'device') registerJobs(kernel)
    registerDeviceSideJobs(kernel)
    stop = async () => {
      // Event streams never end by themselves: what is still open after this long is cut.
      setTimeout(() => serving.server.closeAllConnections(), DRAIN_WITHIN).unref()
      await serving.close()
      await kernel.close()
      await database.close()
    }
    const port = await serving.listen()
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
