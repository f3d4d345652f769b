import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Kernel } from '#kernel/kernel.ts'
import { Announcer } from './announcer.ts'
import { type Clock, Lines, roomOf } from './bandwidth.ts'
import { Certificates } from './certificates.ts'
import { Deployments } from './deployments.ts'
import { Downloads } from './downloads.ts'
import { Limits } from './limits.ts'
import { Pacing } from './pacing.ts'
import { Presence } from './presence.ts'
import { Tasks } from './tasks.ts'

/** Everything the devices' side of one process works with. */
export class DeviceSide {
  readonly kernel: Kernel
  readonly limits = new Limits()
  readonly presence: Presence
  readonly deployments: Deployments
  readonly downloads: Downloads
  readonly lines: Lines
  readonly pacing: Pacing
  /** Undefined: nobody is known by a certificate. */
  readonly certificates: Certificates | undefined
  readonly tasks: Tasks
  readonly announcer: Announcer
  /** A download that has to wait is kept this long before it is sent round again. */
  holdMs = 15_000

  /** `clock`: another than the real one for what paces downloads. */
  constructor(kernel: Kernel, clock?: Clock) {
    this.kernel = kernel
    this.presence = new Presence(kernel)
    this.deployments = new Deployments(kernel.database.pool)
    this.downloads = new Downloads()
    this.announcer = new Announcer(kernel)
    const { deviceDownloads, deviceBandwidth, deviceCertificates } = kernel.config
    const knowsCertificates = deviceCertificates.proxies.length > 0
    this.certificates = knowsCertificates ? new Certificates(deviceCertificates, kernel.fleet) : undefined
    this.lines = new Lines(kernel.fleet, deviceBandwidth, clock)
    const room = deviceBandwidth > 0 ? roomOf(deviceBandwidth) : deviceDownloads
    this.pacing = new Pacing(kernel.fleet, this.downloads, Math.min(deviceDownloads, room))
    this.tasks = new Tasks(kernel, this.announcer)
  }

  start() {
    this.presence.start()
    void this.kernel.fleet.ready()
  }

  async close() {
    await this.presence.close()
    this.announcer.close()
  }
}

/** One call of an identified device. */
export interface Call {
  readonly side: DeviceSide
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly slot: number
  /** `http://host/{tenant}/controller/v1/{id}`, as the device wrote it. */
  readonly base: string
  readonly query: URLSearchParams
  readonly now: number
}
