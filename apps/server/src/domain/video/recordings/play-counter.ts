import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { isTransientError } from '#core/jobs/transient-error.ts'
import { findSegmentKind, type SegmentKey } from './segment.ts'

const FLUSH_MS = 10_000
/**
 * Minimum time between two counted requests for a recording at one play address, because players request several
 * ranges. A process ignores repetitions for 10 to 20 minutes.
 */
const REPEAT_MS = 600_000
/**
 * Maximum size of each of two sets of recent requests. A request in a set is ignored without a statement; the stored
 * key decides about the others.
 */
const MAX_RECENT = 100_000
/** Maximum number of requests that wait for the database. */
const MAX_WAITING = 200_000

type PlayedRecording = Pick<SegmentKey, 'expireDay' | 'deviceId' | 'channel' | 'startMs' | 'format'>
interface Waiting extends PlayedRecording {
  /** Key of the table `oss_counted_plays`. */
  readonly request: string
  /** Time of the request in milliseconds, and its day. */
  readonly now: number
  readonly day: string
}

/**
 * Counts the requests that no process has counted within ten minutes, and adds the bytes of their recordings to tenant,
 * model and recording type. The stored key also makes a repetition harmless when the response to a commit was lost.
 * Locks the keys in their order. Ignores recordings that were deleted meanwhile.
 */
const ADD_PLAYS = `
  with played as materialized (
    select * from unnest($1::uuid[], $2::float8[], $3::date[], $4::date[], $5::int[], $6::smallint[], $7::smallint[],
      $8::bigint[]) as x (request, at_ms, day, expire_day, device_id, channel, kind, start_ms)),
  counted as (
    insert into oss_counted_plays as c (request, count_time)
    select request, to_timestamp(at_ms / 1000) from played order by request
    on conflict (request) do update set count_time = excluded.count_time
      where c.count_time <= excluded.count_time - make_interval(secs => ${REPEAT_MS / 1000})
    returning request)
  insert into oss_play_days (day, tenant_id, model_id, record_type, segments, bytes)
  select p.day, s.tenant_id, s.model_id, s.record_type, count(*), sum(s.bytes::bigint)
  from played p join counted using (request)
  join oss_segments s on s.expire_day = p.expire_day and s.device_id = p.device_id and s.channel = p.channel
    and s.kind = p.kind and s.start_ms = p.start_ms
  group by 1, 2, 3, 4`
const DELETE_OLD = 'delete from oss_counted_plays where count_time < to_timestamp($1::float8 / 1000)'

/**
 * Counts recordings that this process sends to players, and redirects of players to recordings in a bucket. Writes the
 * counts in batches, so that a request needs no statement. Counts of the last 10 s are lost when the process is killed.
 */
export class PlayCounter {
  readonly #pool: Pool
  readonly #log: Logger
  readonly #maxWaiting: number
  #recent = new Set<string>()
  #earlier: ReadonlySet<string> = new Set()
  #recentSince = 0
  #waiting = new Map<string, Waiting>()
  /** Requests since the last write that found no place. */
  #dropped = 0
  #cleanedAt = 0
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> | undefined

  constructor(pool: Pool, log: Logger, maxWaiting = MAX_WAITING) {
    this.#pool = pool
    this.#log = log
    this.#maxWaiting = maxWaiting
  }

  /** Counts a recording, unless it was counted for this play address in the last 10 to 20 minutes. */
  count(address: string, recording: PlayedRecording, { day, now }: { readonly day: string; readonly now: number }) {
    const { expireDay, deviceId, channel, startMs, format } = recording
    const key = `${address}:${expireDay}:${deviceId}:${channel}:${format}:${startMs}`
    if (this.#isRepeated(key, now)) return
    const request = createHash('sha256').update(key).digest('hex').slice(0, 32)
    this.#add({ request, now, day, expireDay, deviceId, channel, startMs, format })
    this.#startTimer()
  }

  /** Writes the waiting counts. Coalesces simultaneous calls. */
  flush(): Promise<void> {
    return (this.#flushing ??= this.#write().finally(() => (this.#flushing = undefined)))
  }

  async close() {
    await this.#flushing
    await this.flush()
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #isRepeated(request: string, now: number): boolean {
    if (now - this.#recentSince >= REPEAT_MS || this.#recent.size >= MAX_RECENT) {
      this.#earlier = now - this.#recentSince < 2 * REPEAT_MS ? this.#recent : new Set()
      this.#recent = new Set()
      this.#recentSince = now
    }
    if (this.#recent.has(request) || this.#earlier.has(request)) return true
    this.#recent.add(request)
    return false
  }

  #startTimer() {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.flush()
    }, FLUSH_MS).unref()
  }

  #add(play: Waiting) {
    if (this.#waiting.has(play.request)) return
    if (this.#waiting.size < this.#maxWaiting) this.#waiting.set(play.request, play)
    else this.#dropped += 1
  }

  async #write() {
    const plays = [...this.#waiting.values()]
    if (plays.length === 0) return
    if (this.#dropped > 0) this.#log.warn({ requests: this.#dropped }, 'played recordings not counted: too many wait')
    this.#waiting = new Map()
    this.#dropped = 0
    try {
      await this.#pool.query(ADD_PLAYS, [
        plays.map(({ request }) => request),
        plays.map(({ now }) => now),
        plays.map(({ day }) => day),
        plays.map(({ expireDay }) => expireDay),
        plays.map(({ deviceId }) => deviceId),
        plays.map(({ channel }) => channel),
        plays.map(({ format }) => findSegmentKind(format)),
        plays.map(({ startMs }) => startMs),
      ])
      await this.#deleteOld(plays.at(-1)!.now)
    } catch (err) {
      // A batch that the database refuses for its values would be refused again.
      const isKept = isTransientError(err)
      this.#log.warn({ err, recordings: plays.length }, `played recordings not counted${isKept ? ' yet' : ''}`)
      if (!isKept) return
      for (const play of plays) this.#add(play)
      this.#startTimer()
    }
  }

  /**
   * Deletes keys older than 20 minutes, at most once in ten minutes. No later request needs these keys. The keys of the
   * last plays stay until the next play.
   */
  async #deleteOld(now: number) {
    if (now - this.#cleanedAt < REPEAT_MS) return
    await this.#pool.query(DELETE_OLD, [now - 2 * REPEAT_MS])
    this.#cleanedAt = now
  }
}
