import type { Logger } from 'pino'
import type { Database } from '#db/client.ts'
import { Pipeline } from '#db/pipeline.ts'
import type { Config } from './config.ts'
import { Events } from './events.ts'
import { openFileStore, openPartStore } from './files/open-store.ts'
import { ResumableUploads } from './files/resumable.ts'
import type { FileStore } from './files/store.ts'
import { Fleet } from './fleet/fleet.ts'
import { HotLists } from './hot-list.ts'
import { Jobs } from './jobs.ts'
import { Mailer } from './mail.ts'
import { Names } from './names.ts'
import { Passwords } from './passwords.ts'
import { PermVersion } from './perm-version.ts'
import { RateLimit } from './rate.ts'
import { Sessions } from './session.ts'
import { Signing } from './signing.ts'

/** What every request may reach: one of each per process. */
export interface Kernel {
  readonly config: Config
  readonly database: Database
  readonly log: Logger
  readonly events: Events
  readonly sessions: Sessions
  readonly passwords: Passwords
  readonly files: FileStore
  readonly uploads: ResumableUploads
  readonly jobs: Jobs
  readonly lists: HotLists
  readonly names: Names
  readonly mail: Mailer
  readonly signing: Signing
  readonly rate: RateLimit
  readonly permVersion: PermVersion
  readonly fleet: Fleet
  now(): Date
  close(): Promise<void>
}

interface Parts {
  readonly config: Config
  readonly database: Database
  readonly log: Logger
  readonly now?: () => Date
}

/** Wires the parts of one process together; nothing here listens on a port. */
export async function createKernel({ config, database, log, now = () => new Date() }: Parts): Promise<Kernel> {
  const events = new Events(database, log)
  const sessions = new Sessions(database, config, events)
  const place = { dataDir: config.dataDir, ...(config.s3 && { s3: config.s3 }) }
  const files = await openFileStore(place)
  const jobs = new Jobs(database, events, log)
  const permVersion = new PermVersion()
  await events.start()
  await permVersion.follow({ events, database })
  const names = new Names(database.pool, events)
  const pipeline = new Pipeline(database.connection)
  const fleet = new Fleet({ database, events, log, timeZone: config.timeZone })
  return {
    config,
    database,
    log,
    events,
    sessions,
    passwords: new Passwords(),
    files,
    uploads: new ResumableUploads(files, openPartStore(place)),
    jobs,
    lists: new HotLists({ database, pipeline, names }),
    names,
    mail: new Mailer(config.mail),
    signing: new Signing(config),
    rate: new RateLimit(),
    permVersion,
    fleet,
    now,
    async close() {
      await jobs.close()
      await fleet.close()
      await sessions.close()
      await pipeline.close()
      await events.close()
    },
  }
}
