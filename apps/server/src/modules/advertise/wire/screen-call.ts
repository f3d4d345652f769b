import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DeviceServices } from '#main/devices/device-services.ts'
import type { ReportingDevice } from '../plays/play-owner.ts'
import { SLOT_FLAG } from '#modules/device/fleet/index/slots.ts'
import { readBearerToken } from '#modules/device/wire/headers.ts'
import { identifyDevice, isDeviceEnabled } from '#modules/device/wire/identify.ts'
import { unauthorized } from '#modules/device/wire/response.ts'

/** One call of a player before authentication. */
export interface ScreenRequest {
  readonly side: DeviceServices
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly ip: string
  readonly origin: string
  readonly now: number
  readonly search: string | undefined
}

type Caller = Pick<ScreenRequest, 'side' | 'request' | 'ip' | 'now'>

/**
 * Returns the slot of the calling screen. Accepts the player's token, the device token and the device's certificate, and
 * counts the call.
 */
export function requireScreenSlot({ side, request, ip, now }: Caller, sn: string): number {
  const { slots } = side.services.fleet
  const slot = requireAuthenticatedDeviceSlot({ side, request }, sn)
  side.limits.takeDevice(slot, now, slots)
  side.presence.saw(slot, ip, now)
  return slot
}

/** Returns the slot of the calling screen without counting the call. */
export function requireAuthenticatedDeviceSlot(
  { side, request }: Pick<ScreenRequest, 'side' | 'request'>,
  sn: string,
): number {
  const { services } = side
  const { slots } = services.fleet
  const token = readBearerToken(request)
  if (token.length > 256) throw unauthorized('wrong device token')
  const slot = slots.find(sn)
  if (slot < 0) throw unauthorized('unknown serial')
  if (services.adDelivery.index.hasToken(slot, token)) {
    if (isDeviceEnabled(services, slot)) return slot
    throw unauthorized('device disabled')
  }
  const tenant = { id: slots.tenants[slot]!, isDefault: true }
  return identifyDevice(services, tenant, sn, token === '' ? side.certificates?.of(request) : { kind: 'target', token })
}

/** Returns the ids of the device in a slot. */
export function readDeviceIds({ services }: DeviceServices, slot: number) {
  const { ids, tenants, models } = services.fleet.slots
  return { deviceId: ids[slot]!, tenantId: tenants[slot]!, modelId: models[slot]! }
}

/** Returns the device in a slot, with a flag that is true when its plays may belong to a former tenant. */
export function readReportingDevice(side: DeviceServices, slot: number): ReportingDevice {
  const hasMoved = (side.services.fleet.slots.flags[slot]! & SLOT_FLAG.moved) !== 0
  return { ...readDeviceIds(side, slot), hasMoved }
}
