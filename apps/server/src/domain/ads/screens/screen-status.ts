import type { StatusReport } from '@oms/contract/advertise/device-calls.ts'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { isolateRows } from '#core/database/statements/isolate-rows.ts'

const FLUSH_MS = 5000
const APART_MS = 60_000
const BATCH = 2000
/** Maximum number of screens whose last write is kept in memory. */
const MAX_KEPT = 500_000

export interface ScreenReport extends Omit<StatusReport, 'sn'> {
  readonly deviceId: number
  readonly tenantId: number
  readonly at: number
}

/** Keeps the last status of each screen in memory and writes it at most once a minute. */
export class ScreenStatus {
  readonly #pool: Pool
  readonly #log: Logger
  readonly #waiting = new Map<number, ScreenReport>()
  readonly #writtenAt = new Map<number, number>()
  readonly #timer: NodeJS.Timeout
  #flushing: Promise<void> | undefined

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool
    this.#log = log
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS).unref()
  }

  /** Accepts a status. A later status of the screen replaces a status that is not written yet. */
  take(report: ScreenReport) {
    const before = this.#waiting.get(report.deviceId)
    this.#waiting.set(report.deviceId, { ...before, ...report })
  }

  async close() {
    clearInterval(this.#timer)
    await this.flush(true)
  }

  /** Writes the reports of screens that were not written within a minute, or all reports. Coalesces calls. */
  flush(all = false): Promise<void> {
    return (this.#flushing ??= this.#write(all)
      .catch((error: unknown) => this.#log.warn({ err: error }, 'status of screens not stored, trying again'))
      .finally(() => (this.#flushing = undefined)))
  }

  async #write(all: boolean) {
    const now = Date.now()
    if (this.#writtenAt.size > MAX_KEPT) this.#writtenAt.clear()
    const due = [...this.#waiting.values()].filter(
      ({ deviceId }) => all || now - (this.#writtenAt.get(deviceId) ?? 0) >= APART_MS,
    )
    due.sort((a, b) => a.deviceId - b.deviceId)
    for (let at = 0; at < due.length; at += BATCH) {
      const some = due.slice(at, at + BATCH)
      await isolateRows(
        some,
        (rows) => this.#store(rows),
        ({ deviceId }, err) => this.#log.warn({ err, deviceId }, 'status of a screen dropped'),
      )
      for (const report of some) {
        this.#writtenAt.set(report.deviceId, now)
        if (this.#waiting.get(report.deviceId) === report) this.#waiting.delete(report.deviceId)
      }
    }
  }

  async #store(reports: readonly ScreenReport[]) {
    // In `nowPlaying`, null means that nothing plays; only an absent value keeps the stored one.
    const rows = reports.map((report) => ({ ...report, hasNowPlaying: report.nowPlaying !== undefined }))
    const values = [JSON.stringify(rows)]
    await this.#pool.query({ name: 'ad-screens-new', text: INSERT, values })
    await this.#pool.query({ name: 'ad-screens-status', text: UPDATE, values })
  }
}

const RECORDS = `jsonb_to_recordset($1::jsonb) as x ("deviceId" int, "tenantId" int, "playerKind" smallint,
  "playerVersion" text, width int, height int, codecs text[], "appliedEtag" text, "readyFiles" int, "totalFiles" int,
  failed jsonb, "freeBytes" bigint, "clockOffsetMs" bigint, "clockState" smallint, "offlineReady" smallint,
  "nowPlaying" jsonb, "hasNowPlaying" boolean, at float8)`

/** A device that reports without pairing is a native player, unless its player says otherwise. */
const INSERT = `
  insert into ad_screens (device_id, tenant_id, player_kind)
  select d.id, d.tenant_id, coalesce(x."playerKind", 2) from ${RECORDS}
  join devices d on d.id = x."deviceId" and d.deleted_at is null order by 1
  on conflict do nothing`

/** An absent field keeps the stored value. */
const UPDATE = `
  update ad_screens s set player_kind = coalesce(x."playerKind", s.player_kind),
    player_version = coalesce(x."playerVersion", s.player_version),
    width = coalesce(x.width, s.width), height = coalesce(x.height, s.height), codecs = coalesce(x.codecs, s.codecs),
    applied_etag = coalesce(x."appliedEtag", s.applied_etag), ready_files = coalesce(x."readyFiles", s.ready_files),
    total_files = coalesce(x."totalFiles", s.total_files), failed = coalesce(x.failed, s.failed),
    free_bytes = coalesce(x."freeBytes", s.free_bytes), clock_offset_ms = coalesce(x."clockOffsetMs", s.clock_offset_ms),
    clock_state = coalesce(x."clockState", s.clock_state), offline_ready = coalesce(x."offlineReady", s.offline_ready),
    now_playing = case when x."hasNowPlaying" then x."nowPlaying" else s.now_playing end,
    last_report_time = greatest(s.last_report_time, to_timestamp(x.at / 1000))
  from (select * from ${RECORDS} order by 1) x where s.device_id = x."deviceId" and s.tenant_id = x."tenantId"`
