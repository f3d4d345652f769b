import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { DelayedWrite } from '#core/database/statements/delayed-write.ts'
import { isolateRows } from '#core/database/statements/rows.ts'
import { GROWTH_FACTOR, copyIntoLarger } from './permit-rules.ts'

const FLUSH_MS = 10_000
/** Interval after which the time of a repeated request is stored again. */
const REPEAT_MS = 600_000
/** Maximum number of channels other than 0 whose last stored request is kept in memory. */
const MAX_KNOWN = 500_000

export interface StatusKey {
  readonly deviceId: number
  readonly channel: number
  readonly tenantId: number
}
/** A channel that sends a request, with the slot of its device in the fleet index. */
interface AskingKey extends StatusKey {
  readonly slot: number
}
interface StatusChange extends StatusKey {
  askedAt?: number
  answer?: string
  uploadedAt?: number
  troubleAt?: number
  troubleCode?: string
  troubleText?: string
}

/** Stores the last request, response, upload and fault of each channel in batches, never on the path of a call. */
export class DeviceStatus {
  readonly #pool: Pool
  readonly #log: Logger
  #changes = new Map<number, StatusChange>()
  readonly #main = new StoredAnswers()
  /** Last stored requests of channels other than 0. */
  readonly #extra = new Map<number, { readonly answer: string; readonly at: number }>()
  readonly #delayed: DelayedWrite

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool
    this.#log = log
    this.#delayed = new DelayedWrite(FLUSH_MS, () => this.#write(), log, 'status of cloud storage not stored')
  }

  asked(key: AskingKey, answer: string, now: number) {
    const isStored = key.channel === 0 ? this.#main.take(key.slot, answer, now) : this.#takeExtra(key, answer, now)
    if (!isStored) Object.assign(this.#changeOf(key), { askedAt: now, answer })
  }

  #takeExtra(key: StatusKey, answer: string, now: number): boolean {
    const number = numberOf(key)
    const stored = this.#extra.get(number)
    if (stored?.answer === answer && now - stored.at < REPEAT_MS) return true
    if (this.#extra.size >= MAX_KNOWN) this.#extra.clear()
    this.#extra.set(number, { answer, at: now })
    return false
  }

  uploaded(key: StatusKey, now: number) {
    this.#changeOf(key).uploadedAt = now
  }

  reported(key: StatusKey, trouble: { readonly code: string; readonly text: string }, now: number) {
    Object.assign(this.#changeOf(key), { troubleAt: now, troubleCode: trouble.code, troubleText: trouble.text })
  }

  /** Writes the changes. */
  flush() {
    return this.#delayed.flush()
  }

  #changeOf(key: StatusKey): StatusChange {
    const number = numberOf(key)
    const known = this.#changes.get(number)
    if (known) return known
    const { deviceId, channel, tenantId } = key
    const made: StatusChange = { deviceId, channel, tenantId }
    this.#changes.set(number, made)
    this.#delayed.schedule()
    return made
  }

  async #write() {
    const changes = [...this.#changes].toSorted(([a], [b]) => a - b).map(([, each]) => each)
    this.#changes = new Map()
    if (changes.length === 0) return
    // A status that cannot be stored is dropped, because the next change of the channel stores its status again.
    await isolateRows(
      changes,
      (some) => this.#store(some),
      ({ deviceId }, err) => this.#log.warn({ err, deviceId }, 'status of a channel dropped'),
    )
  }

  async #store(changes: readonly StatusChange[]) {
    const values = [
      changes.map(({ deviceId }) => deviceId),
      changes.map(({ channel }) => channel),
      changes.map(({ tenantId }) => tenantId),
      changes.map(({ askedAt }) => secondsOf(askedAt)),
      changes.map(({ answer }) => answer ?? null),
      changes.map(({ uploadedAt }) => secondsOf(uploadedAt)),
      changes.map(({ troubleAt }) => secondsOf(troubleAt)),
      changes.map(({ troubleCode }) => troubleCode ?? null),
      changes.map(({ troubleText }) => troubleText ?? null),
    ]
    await this.#pool.query(UPSERT, values)
  }
}

/**
 * Last stored request of channel 0 of each device, by slot in typed arrays: 5 bytes a device. A map of objects would take
 * more than 100 bytes a device and delay every call by its garbage collection.
 */
class StoredAnswers {
  #seconds = new Uint32Array(0)
  #codes = new Uint8Array(0)
  readonly #codeByAnswer = new Map<string, number>()

  /** Returns true when the same response was stored lately; otherwise remembers this one. */
  take(slot: number, answer: string, now: number): boolean {
    if (slot >= this.#codes.length) this.#reserve(slot)
    const code = this.#codeOf(answer)
    const second = Math.floor(now / 1000)
    if (this.#codes[slot] === code && second - this.#seconds[slot]! < REPEAT_MS / 1000) return true
    this.#codes[slot] = code
    this.#seconds[slot] = second
    return false
  }

  #reserve(slot: number) {
    const length = Math.max(1024, Math.ceil((slot + 1) * GROWTH_FACTOR))
    this.#seconds = copyIntoLarger(this.#seconds, new Uint32Array(length))
    this.#codes = copyIntoLarger(this.#codes, new Uint8Array(length))
  }

  /** Returns the number of a response, beginning with 1. Fewer than 20 different responses exist. */
  #codeOf(answer: string): number {
    const known = this.#codeByAnswer.get(answer)
    if (known !== undefined) return known
    this.#codeByAnswer.set(answer, this.#codeByAnswer.size + 1)
    return this.#codeByAnswer.size
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
