import { randomInt, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '#core/crypto/keys.ts'
import { createHmacFunction } from '#core/crypto/one-shot-hmac.ts'
import { addDays } from '#core/time/zone.ts'
import type { SegmentFormat, Segment } from './segment.ts'

export const UPLOAD_TICKET_LIFETIME_SECONDS = 15 * 60
const VERSION = 1
const PAYLOAD = 60
const MAC = 16
const LENGTH = Math.ceil(((PAYLOAD + MAC) * 4) / 3)
const DAY_MS = 86_400_000
const FIRST_DAY = Date.parse('2020-01-01T00:00:00Z')

/** A permit to upload one segment. The model is read when the segment arrives. */
export interface UploadTicket extends Omit<Segment, 'modelId'> {
  /** Seconds since 1970. */
  readonly validUntil: number
}

export type UploadTicketResult = { readonly ticket: UploadTicket } | { readonly problem: 'forged' | 'expired' }

const MAX_DAYS = 5000
const numbers = new Map<string, number>()

/**
 * Returns the days since 2020. Remembers the result, because parsing a date takes longer than the rest of an upload
 * ticket.
 */
function dayNumber(day: string): number {
  const known = numbers.get(day)
  if (known !== undefined) return known
  if (numbers.size >= MAX_DAYS) numbers.clear()
  const number = (Date.parse(`${day}T00:00:00Z`) - FIRST_DAY) / DAY_MS
  numbers.set(day, number)
  return number
}
const dayOf = (number: number) => new Date(FIRST_DAY + number * DAY_MS).toISOString().slice(0, 10)

/**
 * Signs and reads upload tickets. Every process with the same secret key accepts the upload tickets; no row is stored.
 */
export class UploadTickets {
  readonly #sign: (message: Uint8Array) => Buffer

  constructor(secretKey: Buffer) {
    this.#sign = createHmacFunction(deriveKey(secretKey, 'video ticket', VERSION))
  }

  /** Returns the text of an upload ticket: 102 characters of base64url. */
  create(segment: Omit<UploadTicket, 'salt' | 'validUntil'>, nowMs: number): { text: string; ticket: UploadTicket } {
    const validUntil = Math.floor(nowMs / 1000) + UPLOAD_TICKET_LIFETIME_SECONDS
    const ticket = { ...segment, salt: randomInt(2 ** 32) | 0, validUntil }
    const bytes = Buffer.alloc(PAYLOAD + MAC)
    write(bytes, ticket)
    this.#sign(bytes.subarray(0, PAYLOAD)).copy(bytes, PAYLOAD, 0, MAC)
    return { text: bytes.toString('base64url'), ticket }
  }

  read(text: string, nowMs: number): UploadTicketResult {
    if (text.length !== LENGTH || !/^[\w-]+$/.test(text)) return { problem: 'forged' }
    const bytes = Buffer.from(text, 'base64url')
    if (bytes.length !== PAYLOAD + MAC || bytes[0] !== VERSION) return { problem: 'forged' }
    const mac = this.#sign(bytes.subarray(0, PAYLOAD)).subarray(0, MAC)
    if (!timingSafeEqual(mac, bytes.subarray(PAYLOAD))) return { problem: 'forged' }
    const ticket = read(bytes)
    return nowMs / 1000 < ticket.validUntil ? { ticket } : { problem: 'expired' }
  }
}

function write(to: Buffer, ticket: UploadTicket) {
  const expireDay = dayNumber(ticket.expireDay)
  to[0] = VERSION
  to.writeUInt32BE(ticket.deviceId, 1)
  to[5] = ticket.channel
  to[6] = ticket.format | (ticket.recordType << 2)
  to.writeUIntBE(ticket.startMs, 7, 6)
  to.writeUIntBE(ticket.durationMs, 13, 3)
  to.writeUInt32BE(ticket.bytes, 16)
  to.writeUInt16BE(expireDay, 20)
  to.writeUInt16BE(expireDay - dayNumber(ticket.day), 22)
  to.writeUInt32BE(ticket.entitlementId, 24)
  to.writeUInt32BE(ticket.tenantId, 28)
  to.writeUInt32BE(ticket.ownerId, 32)
  to.writeUInt32BE(ticket.session, 36)
  to.writeUInt32BE(ticket.seq, 40)
  to.writeUIntBE(ticket.initBytes, 44, 3)
  to.writeUInt32BE(ticket.eventNo, 47)
  to[51] = ticket.eventType
  to.writeInt32BE(ticket.salt, 52)
  to.writeUInt32BE(ticket.validUntil, 56)
}

function read(from: Buffer): UploadTicket {
  const expireDay = dayOf(from.readUInt16BE(20))
  return {
    deviceId: from.readUInt32BE(1),
    channel: from[5]!,
    format: (from[6]! & 3) as SegmentFormat,
    recordType: from[6]! >> 2,
    startMs: from.readUIntBE(7, 6),
    durationMs: from.readUIntBE(13, 3),
    bytes: from.readUInt32BE(16),
    expireDay,
    day: addDays(expireDay, -from.readUInt16BE(22)),
    entitlementId: from.readUInt32BE(24),
    tenantId: from.readUInt32BE(28),
    ownerId: from.readUInt32BE(32),
    session: from.readUInt32BE(36),
    seq: from.readUInt32BE(40),
    initBytes: from.readUIntBE(44, 3),
    eventNo: from.readUInt32BE(47),
    eventType: from[51]!,
    salt: from.readInt32BE(52),
    validUntil: from.readUInt32BE(56),
  }
}
