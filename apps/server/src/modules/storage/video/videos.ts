import type { Pool } from 'pg'
import type { Logger } from 'pino'
import type { Media } from '#core/media/media.ts'
import { createDayClock } from '#core/time/day-clock.ts'
import { DayMeter, type MeteredSegment } from './day-meter.ts'
import { DeviceStatus } from './device-status.ts'
import { type PermitFacts, SPAN_FLAG } from './permit-rules.ts'
import { SegmentWriter } from './segment-writer.ts'
import type { StorageIndex } from './storage-index.ts'
import { UploadTickets } from './upload-ticket.ts'

declare module '#core/services.ts' {
  interface ServiceExtensions {
    readonly videos: VideoServices
  }
}

/** The part of the fleet index that the permit rules read. */
export interface FleetReader {
  readonly slots: {
    readonly ids: Int32Array
    readonly tenants: Int32Array
    readonly models: Int32Array
    slotOf(deviceId: number): number
  }
  readonly state: {
    readonly models: ReadonlyMap<number, { readonly cloudChannels: number }>
    readonly closedTenants: ReadonlySet<number>
  }
  isEnabled(slot: number): boolean
}

interface Parts {
  readonly pool: Pool
  readonly log: Logger
  readonly fleet: FleetReader
  readonly index: StorageIndex
  readonly media: Media
  readonly secretKey: () => Buffer
  readonly timeZone: string
}

const METER_MS = 60_000

/** Services for the videos of cloud storage in one process. */
export class VideoServices {
  readonly index: StorageIndex
  readonly media: Media
  readonly writer: SegmentWriter
  readonly status: DeviceStatus
  readonly #meter: DayMeter
  readonly #parts: Parts
  readonly #clock: ReturnType<typeof createDayClock>
  readonly #timer: NodeJS.Timeout
  #uploadTickets: UploadTickets | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.index = parts.index
    this.media = parts.media
    this.writer = new SegmentWriter(parts.pool)
    this.status = new DeviceStatus(parts.pool, parts.log)
    this.#meter = new DayMeter(parts.pool)
    this.#clock = createDayClock(parts.timeZone)
    this.#timer = setInterval(() => {
      this.#meter.refresh(Date.now()).catch((err: unknown) => parts.log.warn({ err }, 'bytes of the day not read'))
    }, METER_MS).unref()
  }

  /** The secret key is read at the first use: a process without devices needs none. */
  get uploadTickets() {
    return (this.#uploadTickets ??= new UploadTickets(this.#parts.secretKey()))
  }

  /** Returns the facts that decide about a recording of a channel that starts at this time. */
  factsAt(slot: number, channel: number, startMs: number, now: number): PermitFacts {
    const { fleet } = this.#parts
    const { index } = this
    const tenantId = fleet.slots.tenants[slot]!
    const flags = index.flagsOf(slot, channel)
    const span = index.spanAt(slot, channel, Math.floor(startMs / 1000))
    const day = this.#clock.dayOf(startMs)
    return {
      isEnabled: fleet.isEnabled(slot),
      isTenantOpen: !fleet.state.closedTenants.has(tenantId),
      cloudChannels: fleet.state.models.get(fleet.slots.models[slot]!)?.cloudChannels ?? 0,
      channel,
      hadPackage: (flags & SPAN_FLAG.known) !== 0,
      isSuspended: (flags & SPAN_FLAG.suspended) !== 0,
      isSwitchedOff: (flags & SPAN_FLAG.switchedOff) !== 0,
      firstFromMs: span ? null : firstFrom(index.boundsOf(slot, channel)),
      span,
      expireDay: span ? this.#clock.dayAfter(day, span.terms.storageDays + 1) : '',
      today: this.#clock.dayOf(now),
      ownerSinceMs: index.ownerSince(slot) * 1000,
      bytesToday:
        span && span.terms.dayLimitMb > 0
          ? this.#meter.bytesOf(fleet.slots.ids[slot]!, channel, { day, startMs, now })
          : 0,
      hasRoom: this.media.hasRoom,
    }
  }

  dayOf(ms: number) {
    return this.#clock.dayOf(ms)
  }

  /** Reads the bytes of the last days once when a limit per day decides about one of these starts. */
  async loadDayLimits(slot: number, channel: number, starts: readonly number[], now: number) {
    const isLimited = (startMs: number) =>
      (this.index.spanAt(slot, channel, Math.floor(startMs / 1000))?.terms.dayLimitMb ?? 0) > 0
    if (starts.some(isLimited)) await this.#meter.load(now)
  }

  /** Counts a permit towards the limit per day until its recording is stored or its upload ticket ends. */
  permitted(segment: MeteredSegment, now: number) {
    const { deviceId, channel, day, startMs, bytes } = segment
    this.#meter.permit(deviceId, channel, { day, startMs, bytes, now })
  }

  /** Adds a stored segment to the limit per day and to the status of the channel. */
  stored(segment: MeteredSegment & { readonly tenantId: number }, now: number) {
    this.#meter.add(segment)
    const { deviceId, channel, tenantId } = segment
    this.status.uploaded({ deviceId, channel, tenantId }, now)
  }

  /**
   * Stops counting the permit of a segment that is not stored: deleted before, or stored with another upload ticket.
   */
  released(segment: MeteredSegment) {
    this.#meter.release(segment)
  }

  async close() {
    clearInterval(this.#timer)
    await this.writer.close()
    await this.status.flush()
    await this.media.close()
  }
}

const firstFrom = (bounds: { from: number } | undefined) => (bounds ? bounds.from * 1000 : null)
