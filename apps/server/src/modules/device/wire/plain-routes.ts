import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DeviceServices } from '#main/devices/device-services.ts'

/** One call of `/device/v1/…` before authentication. */
export interface PlainRequest {
  readonly side: DeviceServices
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly ip: string
  /** `http://host` from the request's Host header. */
  readonly origin: string
  readonly now: number
}

/** An authenticated call of `/device/v1/…`. */
export interface PlainCall extends PlainRequest {
  /** Slot of the device in the fleet index. */
  readonly slot: number
  readonly deviceId: number
  readonly tenantId: number
  readonly modelId: number
  readonly sn: string
  readonly body: Readonly<Record<string, unknown>>
  /** Body as received when not completely parsed. Only `report` is called with such a body. */
  readonly raw?: string | undefined
}

/** Response of a route; 204 without a body. Routes throw `DeviceError` to refuse a call. */
export interface PlainResponse {
  readonly status: number
  readonly body?: object
  /** True when the body has only ASCII characters: the response is then sent together with others. */
  readonly isAscii?: true
}

export type PlainRoute = (call: PlainCall) => Promise<PlainResponse>

const routes = new Map<string, PlainRoute>()

/** Adds `POST /device/v1/<name>`. The caller is authenticated by `sn` and its token before the route runs. */
export function addPlainRoute(name: string, route: PlainRoute) {
  routes.set(name, route)
}

export const findPlainRoute = (name: string) => routes.get(name)
