import type { GatewayClient } from './mqtt.ts'
import { type MqttGateway, buildMqttSettings } from './mqtt.ts'

/** Firmware version with the address of its image. */
export interface FirmwareOffer {
  readonly version: string
  readonly url: string
}

interface Parts {
  readonly now: number
  readonly timeZone: string
  /** Offset of the time zone in minutes. */
  readonly offset: number
  readonly websocket: { readonly url: string; readonly token: string }
  readonly firmware: FirmwareOffer | undefined
  readonly gateway: (GatewayClient & MqttGateway) | undefined
  readonly activation: { readonly code: string; readonly consoleUrl: string; readonly challenge: string } | undefined
}

/**
 * Builds the response to a boot report. Devices store each value of `websocket` and `mqtt` in flash, and prefer MQTT
 * when it is present.
 */
export const buildBootResponse = ({ now, timeZone, offset, websocket, firmware, gateway, activation }: Parts) => ({
  server_time: { timestamp: now, timeZone, timezone_offset: offset },
  ...(firmware && { firmware }),
  websocket,
  ...(gateway && { mqtt: buildMqttSettings(gateway, gateway) }),
  ...(activation && {
    activation: {
      code: activation.code,
      message: `${activation.consoleUrl}\n${activation.code}`,
      challenge: activation.challenge,
    },
  }),
})

const NEVER_AN_IMAGE = 'NOT_ACTIVATED_FIRMWARE'

/**
 * Returns an offer of the running version, whose address serves no image. Old firmware fails when the response contains
 * no firmware.
 */
export const buildNoUpdateOffer = (origin: string, version: string): FirmwareOffer => ({
  version,
  url: `${origin}/xiaozhi/otaMag/download/${NEVER_AN_IMAGE}`,
})

/**
 * Returns a random address of a list separated by semicolons. Default: port 8000 of the host that the device called.
 */
export function selectVoiceServerUrl(list: string, origin: string, random = Math.random): string {
  const addresses = list
    .split(';')
    .map((each) => each.trim())
    .filter(Boolean)
  if (addresses.length > 0) return addresses[Math.floor(random() * addresses.length)]!
  return `ws://${new URL(origin).hostname}:8000/xiaozhi/v1/`
}
