import type { StatusReport } from '@oms/contract/advertise/device-calls.ts'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { isolateRows } from '#core/database/statements/rows.ts'

const FLUSH_MS = 5000
const APART_MS = 60_000
const BATCH = 2000
/** Maximum number of screens whose last write is kept in memory. */
const MAX_KEPT = 500_000

export interface ScreenReport extends Omit<StatusReport, 'sn'> {
  readonly deviceId: number
  readonly tenantId: number
  readonly at: number
  /** True when the device had a row in `ad_screens` at the time of the report. */
  readonly isScreen: boolean
  /** Keys (`toMediaKey`) of all files in the SMIL index that the player requested. */
  readonly media?: readonly string[]
  /** Keys of files that a SMIL player downloaded, confirmed or played. */
  readonly held?: readonly string[]
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
    const held = [...new Set([...(before?.held ?? []), ...(report.held ?? [])])]
    this.#waiting.set(report.deviceId, { ...before, ...report, ...(held.length > 0 && { held }) })
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
    // The files of a new index are stored before its ETag. Otherwise the screen could count as ready between both
    // statements.
    if (reports.some(({ media, held }) => media ?? held))
      await this.#pool.query({ name: 'ad-screens-media', text: UPDATE_MEDIA, values })
    await this.#pool.query({ name: 'ad-screens-status', text: UPDATE, values })
  }
}

const RECORDS = `jsonb_to_recordset($1::jsonb) as x ("deviceId" int, "tenantId" int, "playerKind" smallint,
  "playerVersion" text, width int, height int, codecs text[], "appliedEtag" text, "readyFiles" int, "totalFiles" int,
  failed jsonb, "freeBytes" bigint, "clockOffsetMs" bigint, "clockState" smallint, "offlineReady" smallint,
  muted smallint, covered smallint, "nowPlaying" jsonb, "hasNowPlaying" boolean, "isScreen" boolean, media text[],
  held text[], at float8)`

/**
 * A device that reports without pairing is a native player, unless its player says otherwise. A report that waited while
 * the screen was unpaired does not create the screen again.
 */
const INSERT = `
  insert into ad_screens (device_id, tenant_id, player_kind)
  select d.id, d.tenant_id, coalesce(x."playerKind", 2) from ${RECORDS}
  join devices d on d.id = x."deviceId" and d.deleted_at is null where not x."isScreen" order by 1
  on conflict do nothing`

/** Files that a SMIL player is known to have. A new index removes the files that the index does not contain. */
const HELD = `(select distinct m from unnest(s.held_media || coalesce(x.held, '{}')) as m
  where x.media is null or m = any(x.media))`

const UPDATE_MEDIA = `
  update ad_screens s set held_media = array${HELD}, smil_media = coalesce(x.media, s.smil_media),
    total_files = cardinality(coalesce(x.media, s.smil_media)),
    ready_files = (select count(*) from ${HELD} as k where k.m = any(coalesce(x.media, s.smil_media)))
  from (select * from ${RECORDS} order by 1) x
  where s.device_id = x."deviceId" and s.tenant_id = x."tenantId" and (x.media is not null or x.held is not null)`

/** An absent field keeps the stored value. */
const UPDATE = `
  update ad_screens s set player_kind = coalesce(x."playerKind", s.player_kind),
    player_version = coalesce(x."playerVersion", s.player_version),
    width = coalesce(x.width, s.width), height = coalesce(x.height, s.height), codecs = coalesce(x.codecs, s.codecs),
    applied_etag = coalesce(x."appliedEtag", s.applied_etag), ready_files = coalesce(x."readyFiles", s.ready_files),
    total_files = coalesce(x."totalFiles", s.total_files), failed = coalesce(x.failed, s.failed),
    free_bytes = coalesce(x."freeBytes", s.free_bytes), clock_offset_ms = coalesce(x."clockOffsetMs", s.clock_offset_ms),
    clock_state = coalesce(x."clockState", s.clock_state), offline_ready = coalesce(x."offlineReady", s.offline_ready),
    muted = coalesce(x.muted, s.muted), covered = coalesce(x.covered, s.covered),
    now_playing = case when x."hasNowPlaying" then x."nowPlaying" else s.now_playing end,
    playing_time = case when x."hasNowPlaying" then to_timestamp(x.at / 1000) else s.playing_time end,
    last_report_time = greatest(s.last_report_time, to_timestamp(x.at / 1000))
  from (select * from ${RECORDS} order by 1) x where s.device_id = x."deviceId" and s.tenant_id = x."tenantId"`
