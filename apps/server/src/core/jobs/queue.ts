import { sql } from 'drizzle-orm'
import type { Db as QueueDb, PgBoss, Queue, ScheduleOptions } from 'pg-boss'
import type { Logger } from 'pino'
import type { Database, Db } from '#core/database/client.ts'
import { QUEUE_SCHEMA } from '#core/database/queue-schema.ts'
import type { Events } from '#core/events/events.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'
import type { NewJob, RegisteredKind } from './types.ts'

/** Scheduled jobs start at most this long after their time, plus one second for the forwarding worker. */
const CRON_SECONDS = 2
/** A NOTIFY wakes the workers; polling only covers lost notifications. */
const POLL_SECONDS = 15
/** A running job whose process is silent for this long is run again by another process. */
export const HEARTBEAT_SECONDS = 30
/**
 * Seconds by which the library's time limit exceeds the job's own limit. The library's limit ends jobs whose process
 * can no longer enforce the own limit.
 */
const TIME_LIMIT_SLACK_SECONDS = 60
const RETENTION_SECONDS = 24 * 60 * 60

export interface QueueParts {
  readonly database: Database
  readonly events: Events
  readonly log: Logger
  readonly timeZone: string
}

/** Loads the queue library on first use, so that commands and the start of the server do not wait for it. */
export async function createBoss({ database, events, log }: QueueParts): Promise<PgBoss> {
  const { PgBoss: Boss } = await import('pg-boss')
  const boss = new Boss({
    db: queueDb(database, events),
    schema: QUEUE_SCHEMA,
    createSchema: false,
    useListenNotify: true,
    cronMonitorIntervalSeconds: CRON_SECONDS,
    cronWorkerIntervalSeconds: 1,
    superviseIntervalSeconds: HEARTBEAT_SECONDS / 2,
    monitorIntervalSeconds: HEARTBEAT_SECONDS / 2,
    registerInstance: false,
    // Both monitors need administrator rights or views and are useless for this small queue.
    monitorVacuum: false,
    reindex: false,
    openTelemetry: { enabled: false },
  })
  boss.on('error', (error) => log.warn({ err: error }, 'job queue'))
  boss.on('warning', ({ message, data }) => log.warn({ data }, message))
  return boss
}

/** Runs the library's statements on the shared pool and its LISTEN on the connection of `Events`. */
function queueDb({ pool }: Database, events: Events): QueueDb {
  return {
    async executeSql(text, values) {
      if (!/^\s*begin/i.test(text)) return pool.query(text, values)
      const client = await pool.connect()
      try {
        const result = await client.query(text, values)
        client.release()
        return result as never
      } catch (error) {
        // A failed script leaves its transaction open: the connection cannot be used again.
        client.release(true)
        throw error
      }
    },
    async listen(channel, onNotification, onReconnect) {
      const stop = await events.listen(channel, onNotification)
      const stopReconnect = events.onReconnect(onReconnect)
      return {
        async close() {
          stop()
          stopReconnect()
        },
      }
    },
  }
}

/** Runs statements on the queue inside the caller's transaction, as the owner of the queue's tables. */
export async function withQueueDatabase<T>(db: Db, work: (queueDb: QueueDb) => Promise<T>): Promise<T> {
  const { fromDrizzle } = await import('pg-boss')
  const { rows } = await db.execute<{ role: string }>(sql`select current_setting('role') as role`)
  const role = rows[0]?.role ?? 'none'
  // Accounts of a tenant run as a role that row-level security binds; the role has no rights on the queue.
  if (role !== 'none') await db.execute(sql`set local role none`)
  const result = await work(fromDrizzle(db as never, sql as never))
  if (role !== 'none') await db.execute(sql.raw(`set local role ${role}`))
  return result
}

export function buildQueueOptions(registered: RegisteredKind): Omit<Queue, 'name'> {
  const { cron, timeLimitSeconds, retries, retryDelaySeconds, maxRetryDelaySeconds } = registered
  return {
    // Runs of one scheduled job never overlap, and missed runs do not accumulate.
    policy: cron.length > 0 ? 'exclusive' : 'standard',
    notify: true,
    expireInSeconds: timeLimitSeconds + TIME_LIMIT_SLACK_SECONDS,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    retryLimit: retries,
    retryDelay: retryDelaySeconds,
    retryBackoff: true,
    retryDelayMax: maxRetryDelaySeconds,
    deleteAfterSeconds: RETENTION_SECONDS,
  }
}

/** Returns the longest delay before the next retry after this number of retries, in milliseconds. */
export const computeLongestRetryDelayMs = (registered: RegisteredKind, retryCount: number) =>
  Math.min(registered.maxRetryDelaySeconds, registered.retryDelaySeconds * 2 ** Math.min(16, retryCount + 1)) * 1000 +
  200

/** Creates the queues of the registered kinds, or changes those whose options differ. */
export async function syncQueues(boss: PgBoss, kinds: readonly RegisteredKind[]) {
  const stored = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]))
  for (const registered of kinds) {
    const { policy, ...options } = buildQueueOptions(registered)
    const found = stored.get(registered.kind)
    if (!found) await boss.createQueue(registered.kind, { policy: policy as string, ...options })
    else if (Object.entries(options).some(([name, value]) => found[name as keyof typeof found] !== value))
      await boss.updateQueue(registered.kind, options)
  }
}

/** Stores the cron schedules of the registered kinds; with `removesOthers`, drops the schedules of all other kinds. */
export async function syncSchedules(
  boss: PgBoss,
  kinds: readonly RegisteredKind[],
  { timeZone, removesOthers }: { readonly timeZone: string; readonly removesOthers: boolean },
) {
  const wanted = new Map<string, { readonly kind: string; readonly key: string; readonly expression: string }>(
    kinds.flatMap(({ kind, cron }) =>
      cron.map((expression, at) => [`${kind}/${at}`, { kind, key: String(at), expression }] as const),
    ),
  )
  const own = new Set(kinds.map(({ kind }) => kind))
  for (const { name, key, cron, timezone } of await boss.getSchedules()) {
    const same = wanted.get(`${name}/${key}`)
    if (same?.expression === cron && timezone === timeZone) wanted.delete(`${name}/${key}`)
    else if (!same && (removesOthers || own.has(name))) await boss.unschedule(name, key)
  }
  // Runs a scheduled job once when all processes were stopped at its time.
  const options = { tz: timeZone, missed: 'once' } satisfies ScheduleOptions
  for (const { kind, key, expression } of wanted.values())
    await boss.schedule(kind, expression, {}, { ...options, key })
}

/** Returns the options of the workers of a kind. */
export const buildWorkOptions = ({ maxPerTenant }: RegisteredKind) => ({
  notifyPollingIntervalSeconds: POLL_SECONDS,
  pollingIntervalSeconds: 2,
  // The limit applies across all processes. Two reads within the same millisecond can exceed the limit by one job.
  // `localGroupConcurrency` is exact, but delays the jobs of other groups until the next poll.
  ...(maxPerTenant !== null && { groupConcurrency: maxPerTenant }),
})

/** Returns the group of jobs that `maxPerTenant` limits together. Jobs without an owner have no group. */
export function buildJobGroup({ tenantId, uid }: Pick<NewJob, 'tenantId' | 'uid'>): { group?: { id: string } } {
  if (tenantId && tenantId !== PLATFORM_TENANT_ID) return { group: { id: `tenant ${tenantId}` } }
  return uid ? { group: { id: `account ${uid}` } } : {}
}
