import type { Pool } from 'pg'
import type { Logger } from 'pino'

const FLUSH_MS = 10_000
/** The time of a repeated question is stored again after this time. */
const REPEAT_MS = 600_000
/** Channels whose last stored question is remembered. */
const MAX_KNOWN = 2_000_000

export interface StatusKey {
  readonly deviceId: number
  readonly channel: number
  readonly tenantId: number
}
interface News extends StatusKey {
  askedAt?: number
  answer?: string
  uploadedAt?: number
  troubleAt?: number
  troubleCode?: string
  troubleText?: string
}

/** Stores the last question, answer, upload and trouble of each channel in batches, never on the path of a call. */
export class DeviceStatus {
  readonly #pool: Pool
  readonly #log: Logger
  #news = new Map<number, News>()
  /** Minute of the last stored question and the answer, by device of channel 0. */
  readonly #stored = new Map<number, { readonly answer: string; readonly at: number }>()
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> | undefined

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool
    this.#log = log
  }

  asked(key: StatusKey, answer: string, now: number) {
    const number = numberOf(key)
    const stored = this.#stored.get(number)
    if (stored?.answer === answer && now - stored.at < REPEAT_MS) return
    if (this.#stored.size >= MAX_KNOWN) this.#stored.clear()
    this.#stored.set(number, { answer, at: now })
    Object.assign(this.#newsOf(key), { askedAt: now, answer })
  }

  uploaded(key: StatusKey, now: number) {
    this.#newsOf(key).uploadedAt = now
  }

  reported(key: StatusKey, trouble: { readonly code: string; readonly text: string }, now: number) {
    Object.assign(this.#newsOf(key), { troubleAt: now, troubleCode: trouble.code, troubleText: trouble.text })
  }

  /** Writes the news. Coalesces simultaneous calls. */
  flush(): Promise<void> {
    return (this.#flushing ??= this.#write().finally(() => (this.#flushing = undefined)))
  }

  async close() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.flush()
  }

  #newsOf(key: StatusKey): News {
    const number = numberOf(key)
    const known = this.#news.get(number)
    if (known) return known
    const made: News = { ...key }
    this.#news.set(number, made)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.flush()
    }, FLUSH_MS).unref()
    return made
  }

  async #write() {
    const news = [...this.#news].toSorted(([a], [b]) => a - b).map(([, each]) => each)
    this.#news = new Map()
    if (news.length === 0) return
    const values = [
      news.map(({ deviceId }) => deviceId),
      news.map(({ channel }) => channel),
      news.map(({ tenantId }) => tenantId),
      news.map(({ askedAt }) => secondsOf(askedAt)),
      news.map(({ answer }) => answer ?? null),
      news.map(({ uploadedAt }) => secondsOf(uploadedAt)),
      news.map(({ troubleAt }) => secondsOf(troubleAt)),
      news.map(({ troubleCode }) => troubleCode ?? null),
      news.map(({ troubleText }) => troubleText ?? null),
    ]
    // The next change of a channel stores its status again.
    await this.#pool.query(UPSERT, values).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'status of cloud storage not stored')
    })
  }
}

const numberOf = ({ deviceId, channel }: StatusKey) => deviceId * 64 + channel
const secondsOf = (ms: number | undefined) => (ms === undefined ? null : ms / 1000)

const UPSERT = `
  insert into oss_device_status as s (device_id, channel, tenant_id, ask_time, answer, upload_time, trouble_time,
    trouble_code, trouble_text)
  select a, b, c, to_timestamp(d), coalesce(e, ''), to_timestamp(f), to_timestamp(g), coalesce(h, ''), coalesce(i, '')
  from unnest($1::int[], $2::smallint[], $3::int[], $4::float8[], $5::text[], $6::float8[], $7::float8[], $8::text[],
    $9::text[]) as x (a, b, c, d, e, f, g, h, i)
  on conflict (device_id, channel) do update set tenant_id = excluded.tenant_id,
    ask_time = coalesce(excluded.ask_time, s.ask_time),
    answer = case when excluded.ask_time is null then s.answer else excluded.answer end,
    upload_time = coalesce(excluded.upload_time, s.upload_time),
    trouble_time = coalesce(excluded.trouble_time, s.trouble_time),
    trouble_code = case when excluded.trouble_time is null then s.trouble_code else excluded.trouble_code end,
    trouble_text = case when excluded.trouble_time is null then s.trouble_text else excluded.trouble_text end`
