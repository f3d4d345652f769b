import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Db } from '#db/client.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { takeOffDamaged } from './ota-damage.ts'
import { isIntact, type Pace, type Recorded } from './ota-verify.ts'

const HOUR_MS = 60 * 60_000
/** One look is over before the next is due; a pass longer than that goes on then. */
const AT_MOST_MS = 50 * 60_000
const NIGHT = { from: 1, to: 6 } as const
/** A pass is due when the last began so long ago; one that the nights never reach is made by day. */
const DUE_MS = 18 * HOUR_MS
const OVERDUE_MS = 40 * HOUR_MS
/** Slow enough that devices downloading meanwhile do not notice. */
const BYTES_PER_SECOND = 32 * 1024 * 1024
const BATCH = 50
const KEY = 'otaScrub'

/** Where a pass stands: the last content looked at, and when it began; between two passes there is no cursor. */
interface Pass {
  readonly startedAt: string
  readonly cursor: string | null
  readonly checked: number
}

/** Registers the nightly reading of everything devices may download; one process at a time, on after a restart. */
export function registerOtaScrub(kernel: Kernel) {
  kernel.jobs.register('ota-scrub', (_job, _progress, signal) => scrubAtNight(kernel, signal), { everyMs: HOUR_MS })
}

async function scrubAtNight(kernel: Kernel, signal: AbortSignal) {
  const last = await readPass(kernel.database.db)
  return isTime(kernel, last) ? scrub(kernel, { signal }) : { checked: 0 }
}

/** Is it night in the console's zone and a pass due, under way, or overdue at any hour? */
export function isTime({ config, now }: Pick<Kernel, 'config' | 'now'>, last: Pass | undefined): boolean {
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

/** Reads on from where the last look ended. A content that cannot be read right now fails the job, after all others. */
export async function scrub(kernel: Kernel, options: Options = {}) {
  const { signal, bytesPerSecond = BYTES_PER_SECOND, atMostMs = AT_MOST_MS } = options
  const { db } = kernel.database
  const until = Date.now() + atMostMs
  const pace = paceOf(bytesPerSecond, signal)
  const stored = await readPass(db)
  let pass: Pass = stored?.cursor ? stored : { startedAt: kernel.now().toISOString(), cursor: null, checked: 0 }
  const unread: string[] = []
  let damaged = 0
  for (;;) {
    const batch = await contentsAfter(db, pass.cursor ?? '')
    for (const content of batch) {
      if (signal?.aborted || Date.now() > until)
        return { checked: pass.checked, damaged, unread: unread.length, more: true }
      const intact = await isIntact(kernel.files, content, pace).catch((error: unknown) => {
        signal?.throwIfAborted()
        kernel.log.error({ err: error, sha256: content.sha256 }, 'a component could not be read')
        return undefined
      })
      if (intact === undefined) unread.push(content.sha256)
      if (intact === false) damaged += await takeOffDamaged(kernel, content)
      pass = { ...pass, cursor: content.sha256, checked: pass.checked + 1 }
      await writePass(db, pass)
    }
    if (batch.length < BATCH) break
  }
  await writePass(db, { ...pass, cursor: null })
  if (unread.length > 0) throw new Error(`${unread.length} component contents could not be read`)
  return { checked: pass.checked, damaged, unread: 0, more: false }
}

/** What enabled versions consist of, each content once, in the order of its digest. */
async function contentsAfter(db: Db, cursor: string): Promise<Recorded[]> {
  const { rows } = await db.execute<Recorded & Record<string, unknown>>(sql`
    select distinct on (c.sha256) c.sha256, c.sha1, c.md5, c.size::float8 as size
    from ota_components c join ota_versions v on v.ota_id = c.ota_id
    where v.status = 1 and v.deleted_at is null and c.sha256 > ${cursor}
    order by c.sha256, c.id limit ${BATCH}`)
  return rows
}

/** Keeps the average below so many bytes a second. */
function paceOf(bytesPerSecond: number, signal: AbortSignal | undefined): Pace {
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
