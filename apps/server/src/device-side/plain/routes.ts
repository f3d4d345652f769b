import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DeviceSide } from '../side.ts'

/** One identified call of `/device/v1/…`. */
export interface PlainCall {
  readonly side: DeviceSide
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Where the index keeps the device. */
  readonly slot: number
  readonly deviceId: number
  readonly tenantId: number
  readonly modelId: number
  readonly sn: string
  readonly body: Readonly<Record<string, unknown>>
  readonly ip: string
  /** `http://host`, as the device wrote it. */
  readonly origin: string
  readonly now: number
}

/** The answer to such a call; without a body for 204. Throw a `DeviceProblem` to refuse. */
export interface PlainAnswer {
  readonly status: number
  readonly body?: object
}

export type PlainRoute = (call: PlainCall) => Promise<PlainAnswer>

const routes = new Map<string, PlainRoute>()

/** Adds `POST /device/v1/<name>`: the caller is identified by `sn` and its token before the route sees it. */
export function addPlainRoute(name: string, route: PlainRoute) {
  routes.set(name, route)
}

export const plainRoute = (name: string) => routes.get(name)
