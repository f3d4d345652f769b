import type { IncomingMessage } from 'node:http'
import { parseBoardVersion } from '@oms/contract/agent/devices/board-version.ts'
import { SN_PATTERN } from '@oms/contract/device/device-fields.ts'
import { parseMacDigits } from '../../../devices/mac.ts'
import { readRawHeader, parseRepairedJson, type ReadText } from '#modules/device/wire/request.ts'
import { sanitizeDeviceText } from '#modules/device/wire/response.ts'

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
