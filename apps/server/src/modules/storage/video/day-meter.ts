import type { Pool } from 'pg'
import { UPLOAD_TICKET_LIFETIME_SECONDS } from './upload-ticket.ts'

const REFRESH_MS = 60_000
/** A permit is counted until its upload ticket ends, because the upload may follow. */
const PERMIT_MS = UPLOAD_TICKET_LIFETIME_SECONDS * 1000

interface Permit {
  readonly bytes: number
  readonly until: number
}

/**
 * Channels whose package has a limit per day, now or in the days of which a camera may still upload recordings. One day
 * more than the backlog of seven days, because the database may have another time zone.
 */
const READ_BYTES = `
  select o.device_id || ':' || o.channel || ':' || o.day as key, sum(o.bytes)::bigint as bytes
  from oss_device_days o
  where o.day >= current_date - 8 and (o.device_id, o.channel) in (
    select e.device_id, e.channel from oss_entitlements e
    join oss_package_versions v on v.id = e.package_version_id and v.day_limit_mb > 0 where e.state = 1
    union all
    select s.device_id, s.channel from oss_spans s join oss_entitlements e on e.id = s.entitlement_id
    join oss_package_versions v on v.id = e.package_version_id and v.day_limit_mb > 0
    where s.to_time > now() - interval '8 days')
  group by 1`

const keyOf = (deviceId: number, channel: number, day: string) => `${deviceId}:${channel}:${day}`

/**
 * Bytes per channel and day, for packages with a limit per day: stored bytes, and the bytes of permits whose upload has
 * not arrived. Uploads to other processes are added every minute.
 */
export class DayMeter {
  readonly #pool: Pool
  #stored = new Map<string, number>()
  /** Bytes that this process has stored since the sums in `#stored` were read from the database. */
  #added = new Map<string, number>()
  /** Former `#added` while the database reads the sums that include these bytes. */
  #settling: ReadonlyMap<string, number> = new Map()
  readonly #permits = new Map<string, Map<number, Permit>>()
  /** True after the first request for a package with a limit per day. */
  #isNeeded = false
  #isLoaded = false
  #readAt = 0
  #reading: Promise<void> | undefined

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Returns the bytes of a day. The permit of the recording with this start is not counted, so that it can be repeated. */
  bytesOf(deviceId: number, channel: number, { day, startMs, now }: { day: string; startMs: number; now: number }) {
    this.#isNeeded = true
    const key = keyOf(deviceId, channel, day)
    let bytes = (this.#stored.get(key) ?? 0) + (this.#settling.get(key) ?? 0) + (this.#added.get(key) ?? 0)
    for (const [start, permit] of this.#permits.get(key) ?? [])
      if (start !== startMs && permit.until > now) bytes += permit.bytes
    return bytes
  }

  /** Counts the bytes of a permit until they are stored or the upload ticket ends. */
  permit(deviceId: number, channel: number, recording: { day: string; startMs: number; bytes: number; now: number }) {
    const { day, startMs, bytes, now } = recording
    const key = keyOf(deviceId, channel, day)
    const permits = this.#permits.get(key) ?? new Map<number, Permit>()
    permits.set(startMs, { bytes, until: now + PERMIT_MS })
    this.#permits.set(key, permits)
  }

  /** Stops counting the permit of a recording that is not stored. */
  release({ deviceId, channel, day, startMs }: MeteredSegment) {
    this.#permits.get(keyOf(deviceId, channel, day))?.delete(startMs)
  }

  /** Adds the bytes of a stored recording in place of its permit. */
  add({ deviceId, channel, day, startMs, bytes }: MeteredSegment) {
    if (!this.#isNeeded) return
    const key = keyOf(deviceId, channel, day)
    this.#permits.get(key)?.delete(startMs)
    this.#added.set(key, (this.#added.get(key) ?? 0) + bytes)
  }

  /** Resolves when the sums were read at least once. Rejects when they cannot be read. */
  async load(now: number) {
    if (!this.#isLoaded) await this.refresh(now, true)
  }

  /** Reads the sums of the last days for all channels with a limit, at most once a minute. */
  async refresh(now: number, force = false) {
    if (this.#reading) return this.#reading
    if (!force && (!this.#isNeeded || now - this.#readAt < REFRESH_MS)) return
    this.#readAt = now
    this.#forgetPermits(now)
    this.#reading = this.#read().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  async #read() {
    this.#settling = this.#added
    this.#added = new Map()
    try {
      const { rows } = await this.#pool.query<{ key: string; bytes: number }>(READ_BYTES)
      this.#stored = new Map(rows.map(({ key, bytes }) => [key, bytes]))
      this.#isLoaded = true
    } catch (error) {
      for (const [key, bytes] of this.#settling) this.#added.set(key, (this.#added.get(key) ?? 0) + bytes)
      throw error
    } finally {
      this.#settling = new Map()
    }
  }

  #forgetPermits(now: number) {
    for (const [key, permits] of this.#permits) {
      for (const [start, { until }] of permits) if (until <= now) permits.delete(start)
      if (permits.size === 0) this.#permits.delete(key)
    }
  }
}

export interface MeteredSegment {
  readonly deviceId: number
  readonly channel: number
  readonly day: string
  readonly startMs: number
  readonly bytes: number
}
