import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Services } from '#core/services.ts'
import { ActivationCodes, BoundDevices } from '#modules/agent/devices/bound-devices.ts'
import { BootTimes } from '#modules/agent/devices/device-events.ts'
import { type Clock, BandwidthLimits, countDownloadsWithinBandwidth } from '#modules/device/wire/bandwidth.ts'
import { Certificates } from '#modules/device/wire/identify.ts'
import { ChangePublisher, Presence } from '#modules/device/wire/presence.ts'
import { Deployments } from '#modules/upgrade/wire/artifact.ts'
import { Downloads, MediaPacing, Pacing } from '#modules/device/wire/pacing.ts'
import { CallLimits, ThrottledSync } from '#modules/device/wire/limits.ts'
import { Tasks } from '#modules/upgrade/wire/tasks.ts'

/** Services of the device protocols in one process. */
export class DeviceServices {
  readonly services: Services
  readonly limits = new CallLimits()
  readonly presence: Presence
  readonly deployments: Deployments
  readonly downloads: Downloads
  readonly lines: BandwidthLimits
  readonly pacing: Pacing
  readonly media: MediaPacing
  /** Undefined when certificate authentication is not configured. */
  readonly certificates: Certificates | undefined
  readonly tasks: Tasks
  readonly announcer: ChangePublisher
  readonly boundDevices: BoundDevices
  readonly activationCodes: ActivationCodes
  readonly bootTimes: BootTimes
  /** Loads keys of SMIL players that this process does not know yet. */
  readonly unknownKeys: ThrottledSync
  /** Time that a waiting download is held before the server aborts the connection. */
  holdMs = 15_000

  /** `clock` replaces the real clock of the bandwidth limits. */
  constructor(services: Services, clock?: Clock) {
    this.services = services
    this.presence = new Presence(services)
    this.deployments = new Deployments(services.database.pool)
    this.downloads = new Downloads()
    this.announcer = new ChangePublisher(services)
    const { deviceDownloads, deviceBandwidth, deviceCertificates } = services.config
    const knowsCertificates = deviceCertificates.proxies.length > 0
    this.certificates = knowsCertificates ? new Certificates(deviceCertificates, services.fleet) : undefined
    this.lines = new BandwidthLimits(services.fleet, deviceBandwidth, clock)
    const room = deviceBandwidth > 0 ? countDownloadsWithinBandwidth(deviceBandwidth) : deviceDownloads
    this.pacing = new Pacing(services.fleet, this.downloads, Math.min(deviceDownloads, room))
    const isFirmwareFull = () => this.downloads.count >= Math.min(deviceDownloads, room)
    this.media = new MediaPacing({ ...services.config.ads, lines: this.lines, isFirmwareFull, clock })
    this.tasks = new Tasks(services, this.announcer)
    this.boundDevices = new BoundDevices(services.database.pool)
    this.activationCodes = new ActivationCodes(services.database.pool)
    this.bootTimes = new BootTimes(services.database, services.log)
    this.unknownKeys = new ThrottledSync(() => services.fleet.sync())
  }

  start() {
    this.presence.start()
    const { fleet, readiness } = this.services
    readiness.isLoaded = () => fleet.isReady
    void fleet.ready()
  }

  async close() {
    await this.presence.close()
    await this.bootTimes.flush()
    this.announcer.close()
  }
}

/** A call of an authenticated device. */
export interface DdiCall {
  readonly side: DeviceServices
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly slot: number
  /** `http://host/{tenant}/controller/v1/{id}` with the host of the request. */
  readonly base: string
  readonly query: URLSearchParams
  readonly now: number
}
