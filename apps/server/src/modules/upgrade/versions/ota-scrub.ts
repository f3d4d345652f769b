import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Worker } from '#core/jobs/types.ts'
import type { Services } from '#core/services.ts'
import { disableDamagedVersions } from './ota-damage.ts'
import { isIntact, type ReadPacer, type RecordedDigests } from './ota-verify.ts'

const DAY_MS = 24 * 60 * 60_000
/** Maximum duration of one run. The run ends before the next run is due, and the next run continues the pass. */
const AT_MOST_MS = 50 * 60_000
const NIGHT = { from: 1, to: 6 } as const
/** Minimum time between two passes, shorter than a week so that a pass starts in the same night of the next week. */
const DUE_MS = 6.5 * DAY_MS
/** Time after which a pass also runs by day, because no pass completed at night. */
const OVERDUE_MS = 8 * DAY_MS
/** Maximum read rate, low enough not to slow device downloads. */
const BYTES_PER_SECOND = 32 * 1024 * 1024
const BATCH = 50
const KEY = 'otaScrub'

/** Progress of a pass: the last verified content and the start time. Between two passes there is no cursor. */
interface Pass {
  readonly startedAt: string
  readonly cursor: string | null
  readonly checked: number
}

/**
 * Registers the weekly verification of everything that devices may download. One process runs the job and continues
 * after a restart.
 */
export function registerOtaScrub(services: Services) {
  const work: Worker = (_job, _progress, signal) => scrubWhenDue(services, signal)
  services.jobs.schedule('ota-scrub', work, {
    title: '每周核对组件文件',
    cron: '5 0 * * * *',
    timeLimitSeconds: 58 * 60,
  })
}

async function scrubWhenDue(services: Services, signal: AbortSignal) {
  const last = await readPass(services.database.db)
  return isScrubDue(services, last) ? verifyComponentFiles(services, { signal }) : { checked: 0 }
}

/**
 * True when a pass should run now: at night in the console's time zone if due or unfinished, at any hour if overdue.
 */
export function isScrubDue({ config, now }: Pick<Services, 'config' | 'now'>, last: Pass | undefined): boolean {
  const age = last ? now().getTime() - Date.parse(last.startedAt) : Number.POSITIVE_INFINITY
  const hour = Number(
    new Intl.DateTimeFormat('en', { timeZone: config.timeZone, hour: '2-digit', hourCycle: 'h23' }).format(now()),
  )
  const isNight = hour >= NIGHT.from && hour < NIGHT.to
  return isNight ? age > DUE_MS || Boolean(last?.cursor) : age > OVERDUE_MS
}

interface Options {
  readonly signal?: AbortSignal
  readonly bytesPerSecond?: number
  readonly atMostMs?: number
}

/**
 * Continues the pass after the last verified content. A read error fails the job after all other files are verified.
 */
export async function verifyComponentFiles(services: Services, options: Options = {}) {
  const { signal, bytesPerSecond = BYTES_PER_SECOND, atMostMs = AT_MOST_MS } = options
  const { db } = services.database
  const until = Date.now() + atMostMs
  const pace = paceOf(bytesPerSecond, signal)
  const stored = await readPass(db)
  let pass: Pass = stored?.cursor ? stored : { startedAt: services.now().toISOString(), cursor: null, checked: 0 }
  const unread: string[] = []
  let damaged = 0
  for (;;) {
    const batch = await contentsAfter(db, pass.cursor ?? '')
    for (const content of batch) {
      if (signal?.aborted || Date.now() > until)
        return { checked: pass.checked, damaged, unread: unread.length, more: true }
      const intact = await isIntact(services.files, content, pace).catch((error: unknown) => {
        signal?.throwIfAborted()
        services.log.error({ err: error, sha256: content.sha256 }, 'a component could not be read')
        return undefined
      })
      if (intact === undefined) unread.push(content.sha256)
      if (intact === false)
        damaged += await disableDamagedVersions(services, content).catch((error: unknown) => {
          services.log.error({ err: error, sha256: content.sha256 }, 'the versions of a damaged component stay enabled')
          unread.push(content.sha256)
          return 0
        })
      pass = { ...pass, cursor: content.sha256, checked: pass.checked + 1 }
      await writePass(db, pass)
    }
    if (batch.length < BATCH) break
  }
  await writePass(db, { ...pass, cursor: null })
  if (unread.length > 0) throw new Error(`${unread.length} component contents could not be read`)
  return { checked: pass.checked, damaged, unread: 0, more: false }
}

/** Returns the digests of the files of enabled versions, each file once, ordered by SHA-256. */
async function contentsAfter(db: Db, cursor: string): Promise<RecordedDigests[]> {
  const { rows } = await db.execute<RecordedDigests & Record<string, unknown>>(sql`
    select distinct on (c.sha256) c.sha256, c.sha1, c.md5, c.size::float8 as size
    from ota_components c join ota_versions v on v.ota_id = c.ota_id
    where v.status = 1 and v.deleted_at is null and c.sha256 > ${cursor}
    order by c.sha256, c.id limit ${BATCH}`)
  return rows
}

/** Returns a function that limits the average read rate. */
function paceOf(bytesPerSecond: number, signal: AbortSignal | undefined): ReadPacer {
  const from = performance.now()
  let bytes = 0
  return (more) => {
    signal?.throwIfAborted()
    bytes += more
    const ahead = (bytes / bytesPerSecond) * 1000 - (performance.now() - from)
    return ahead > 20 ? wait(ahead, undefined, { ...(signal && { signal }) }) : undefined
  }
}

async function readPass(db: Db): Promise<Pass | undefined> {
  const { rows } = await db.execute<{ value: Pass }>(sql`select value from settings where key = ${KEY}`)
  return rows[0]?.value
}

const writePass = (db: Db, pass: Pass) =>
  db.execute(sql`insert into settings (key, value) values (${KEY}, ${JSON.stringify(pass)}::jsonb)
    on conflict (key) do update set value = excluded.value, update_time = now()`)
