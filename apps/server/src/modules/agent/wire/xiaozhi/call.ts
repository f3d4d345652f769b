import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DeviceServices } from '#main/devices/device-services.ts'

/** A call below `/xiaozhi/`, of a device or a voice server. */
export interface XiaozhiCall {
  readonly side: DeviceServices
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly ip: string
  /** Scheme and host as the caller sent them. */
  readonly origin: string
  readonly now: number
  readonly query: URLSearchParams
}
