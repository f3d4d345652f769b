import type { Logger } from 'pino'
import type { Database } from './database/client.ts'
import { Pipeline } from './database/statements/prepared-statements.ts'
import { CredentialAttempts } from './auth/lockout.ts'
import type { Config } from './config/config.ts'
import { Events } from './events/events.ts'
import { ClaimingStore, openFileStore, openUploadPartStore } from './storage/open-store.ts'
import { ResumableUploads } from './storage/resumable.ts'
import type { FileStore } from './storage/store.ts'
import { PreparedLists } from './database/lists/prepared-list.ts'
import { Jobs } from './jobs/jobs.ts'
import { Mailer } from './mail.ts'
import { DisplayNames } from './database/display-names.ts'
import { Passwords } from './auth/passwords.ts'
import { PermissionVersion } from './auth/permission-version.ts'
import { AccountSlots, RateLimit } from './http/limits/call-limits.ts'
import { RefusalQuota } from './audit/refusal-quota.ts'
import { Sessions } from './auth/sessions.ts'
import { ApiTokens } from './auth/api-tokens.ts'
import { Readiness, Shutdown } from './process/process.ts'
import { Signing } from './crypto/signing.ts'
import { StreamLimits } from './events/stream-limits.ts'

/** Services of higher floors. Domains extend this interface by module augmentation, and `main` creates them. */
// oxlint-disable-next-line typescript/no-empty-object-type -- filled by module augmentation
export interface ServiceExtensions {}

/** Services of `core`, created once per process. */
export interface CoreServices {
  readonly config: Config
  readonly database: Database
  readonly log: Logger
  readonly events: Events
  readonly sessions: Sessions
  readonly apiTokens: ApiTokens
  readonly passwords: Passwords
  readonly attempts: CredentialAttempts
  readonly files: FileStore
  readonly uploads: ResumableUploads
  readonly jobs: Jobs
  readonly lists: PreparedLists
  readonly names: DisplayNames
  readonly mail: Mailer
  readonly signing: Signing
  readonly rate: RateLimit
  readonly refusals: RefusalQuota
  readonly accountSlots: AccountSlots
  readonly streams: StreamLimits
  readonly shutdown: Shutdown
  readonly readiness: Readiness
  readonly permissionVersion: PermissionVersion
  now(): Date
  /** Registers a task that `close` runs after all jobs ended. */
  onClose(task: () => Promise<void>): void
  close(): Promise<void>
}

/**
 * Divisor of the rate limit: number of log rows per minute for refused mutations of an account. 60 with the default
 * limit.
 */
const REFUSALS_SHARE = 10

/** All services that a request can use. */
export type Services = CoreServices & ServiceExtensions

export interface CoreParts {
  readonly config: Config
  readonly database: Database
  readonly log: Logger
  readonly now?: () => Date
}

/** Creates the services of one process without opening a port. `close` releases them. */
export async function createCoreServices(parts: CoreParts): Promise<CoreServices> {
  const { config, database, log, now = () => new Date() } = parts
  const closeTasks: (() => Promise<void>)[] = []
  const events = new Events(database, log)
  const sessions = new Sessions(database, config, events)
  const apiTokens = new ApiTokens(database, sessions, events)
  const stores = await openStores(config, database)
  const jobs = new Jobs(database, events, log, config.timeZone)
  const permissionVersion = new PermissionVersion()
  await events.start()
  await permissionVersion.follow({ events, database })
  const names = new DisplayNames(database.pool, events)
  const pipeline = new Pipeline(database.connection)
  return {
    config,
    database,
    log,
    events,
    sessions,
    apiTokens,
    passwords: new Passwords(),
    attempts: new CredentialAttempts(database),
    ...stores,
    jobs,
    lists: new PreparedLists({ database, pipeline, names }),
    names,
    mail: new Mailer(config.mail),
    signing: new Signing(config),
    ...createLimits(config),
    shutdown: new Shutdown(),
    permissionVersion,
    now,
    onClose: (task) => void closeTasks.push(task),
    async close() {
      await jobs.close()
      for (const task of closeTasks) await task()
      await apiTokens.close()
      await sessions.close()
      await pipeline.close()
      await events.close()
    },
  }
}

/** Opens the file store and the uploads that write to it. The readiness of the process includes the file store. */
async function openStores(config: Config, database: Database) {
  const place = { dataDir: config.dataDir, ...(config.s3 && { s3: config.s3 }) }
  const files = new ClaimingStore(await openFileStore(place), database.pool)
  const readiness = new Readiness()
  readiness.add('files', () => files.check())
  return { files, uploads: new ResumableUploads(files, await openUploadPartStore(place)), readiness }
}

/** Creates the limits of calls, logged refusals and event streams. */
function createLimits(config: Config) {
  const rate = new RateLimit()
  return {
    rate,
    refusals: new RefusalQuota(rate, Math.max(1, Math.floor(config.rate.api / REFUSALS_SHARE))),
    accountSlots: new AccountSlots(config.poolSize),
    streams: new StreamLimits(config.maxConnections),
  }
}
