import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { parseBoardVersion } from '@oms/contract/agent/devices/board-version.ts'
import { SN_PATTERN, formatMac } from '@oms/contract/device/device-fields.ts'
import { readRawHeader, parseRepairedJson, type ReadText } from '#modules/device/wire/request.ts'
import { sanitizeDeviceText } from '#modules/device/wire/response.ts'
import { parseMacDigits } from './call.ts'

/** Maximum size of a boot report in bytes. Reports of the firmware have 1 to 3 KiB. */
export const MAX_REPORT_BYTES = 16 * 1024
const MAX_ID = 64
const MAX_BOARD = 50
const MAX_VERSION = 20
const UNKNOWN_BOARD = 'unknown'
/** The firmware parses each part as a 32-bit integer and aborts on any other text. */
const DIGITS_AND_DOTS = /^\d{1,9}(?:\.\d{1,9})*$/
const NO_VERSION = '0.0.0'

/** Identifiers of a device from its request headers. */
export interface DeviceIdentity {
  /** Twelve hex digits. */
  readonly mac: string
  /** Header values as sent. Tokens and challenges contain them unchanged. */
  readonly deviceId: string
  readonly clientId: string
  /** Serial number in the chip. Empty for chips without one. */
  readonly serial: string
}

/** Returns the identifiers of a device, or the message for a device without a valid `Device-Id`. */
export function readIdentity(request: IncomingMessage): DeviceIdentity | string {
  const deviceId = readRawHeader(request, 'device-id')?.trim() ?? ''
  if (deviceId === '') return 'Device ID is required'
  const mac = parseMacDigits(deviceId)
  if (mac === undefined) return 'Invalid device ID'
  const clientId = sanitizeDeviceText(readRawHeader(request, 'client-id'), MAX_ID) || deviceId
  const serial = sanitizeDeviceText(readRawHeader(request, 'serial-number'), MAX_ID)
  return { mac, deviceId, clientId, serial: SN_PATTERN.test(serial) ? serial : '' }
}

/** Parsed boot report. */
export interface BootReport {
  /** Board type of this report; empty when the report names none. Decides which firmware fits. */
  readonly boardType: string
  /** Board for the device's row: its type, or the chip model. */
  readonly board: string
  /** Firmware version as reported; empty without one. */
  readonly reported: string
  /** Reported firmware version when it consists of digits and dots, otherwise `0.0.0`. */
  readonly version: string
  /** Number of the version. Undefined for a version that no release can have. */
  readonly verCode: number | undefined
}

/** Reads a boot report. Accepts numbers as text. Treats unreadable and too long bodies as empty. */
export function parseBootReport({ text, isCut }: ReadText): BootReport {
  const body = recordOf(isCut ? undefined : parseRepairedJson(text))
  const boardType = cleanText(recordOf(body['board'])['type'], MAX_BOARD)
  const reported = cleanText(recordOf(body['application'])['version'], MAX_VERSION)
  return {
    boardType,
    board: boardType || cleanText(body['chip_model_name'], MAX_BOARD) || UNKNOWN_BOARD,
    reported,
    version: DIGITS_AND_DOTS.test(reported) ? reported : NO_VERSION,
    verCode: parseBoardVersion(reported),
  }
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

const cleanText = (value: unknown, length: number) =>
  typeof value === 'string' || typeof value === 'number' ? sanitizeDeviceText(value, length) : ''

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

/** Address and key of the MQTT gateway (`xiaozhi-mqtt-gateway`). */
interface MqttGateway {
  readonly endpoint: string
  readonly signatureKey: string
}

interface GatewayClient {
  /** Twelve hex digits. */
  readonly mac: string
  /** Board of a bound device. Unbound devices use the default group. */
  readonly board: string | undefined
  readonly ip: string
}

const DEFAULT_GROUP = 'GID_default'

/** Returns the connection settings of a device at the gateway. */
export function buildMqttSettings({ endpoint, signatureKey }: MqttGateway, { mac, board, ip }: GatewayClient) {
  const macPart = formatMac(mac, '_')
  const clientId = `${(board ?? DEFAULT_GROUP).replaceAll(':', '_')}@@@${macPart}@@@${macPart}`
  const username = Buffer.from(JSON.stringify({ ip })).toString('base64')
  return {
    endpoint,
    client_id: clientId,
    username,
    password: createHmac('sha256', signatureKey).update(`${clientId}|${username}`).digest('base64'),
    publish_topic: 'device-server',
    subscribe_topic: `devices/p2p/${macPart}`,
  }
}
