import type { Pool } from 'pg'

/** Bytes per channel and day, for packages with a limit per day. Uploads to other processes are added every minute. */
export class DayMeter {
  readonly #pool: Pool
  #bytes = new Map<string, number>()
  #added = new Map<string, number>()
  /** True after the first request for a package with a limit per day. */
  #isNeeded = false
  #readAt = 0

  constructor(pool: Pool) {
    this.#pool = pool
  }

  bytesOf(deviceId: number, channel: number, day: string): number {
    this.#isNeeded = true
    const key = `${deviceId}:${channel}:${day}`
    return (this.#bytes.get(key) ?? 0) + (this.#added.get(key) ?? 0)
  }

  add(deviceId: number, channel: number, day: string, bytes: number) {
    if (!this.#isNeeded) return
    const key = `${deviceId}:${channel}:${day}`
    this.#added.set(key, (this.#added.get(key) ?? 0) + bytes)
  }

  /** Reads the sums of today and yesterday for all packages with a limit, at most once a minute. */
  async refresh(now: number, force = false) {
    if (!force && (!this.#isNeeded || now - this.#readAt < 60_000)) return
    this.#readAt = now
    const added = this.#added
    this.#added = new Map()
    const { rows } = await this.#pool
      .query<{ key: string; bytes: number }>(
        `select o.device_id || ':' || o.channel || ':' || o.day as key, sum(o.bytes)::bigint as bytes
         from oss_entitlements e join oss_package_versions v on v.id = e.package_version_id and v.day_limit_mb > 0
         join oss_device_days o on o.device_id = e.device_id and o.channel = e.channel
         where e.state = 1 and o.day >= current_date - 1 group by 1`,
      )
      .catch((error: unknown) => {
        this.#added = added
        throw error
      })
    this.#bytes = new Map(rows.map(({ key, bytes }) => [key, bytes]))
  }
}
