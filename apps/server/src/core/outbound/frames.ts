import { randomBytes } from 'node:crypto'

const TEXT = 1
const [LENGTH_16, LENGTH_64] = [126, 127]
const FINAL = 0x80
const MASKED = 0x80

/** Returns a masked WebSocket frame (RFC 6455), as clients send. */
export function encodeClientFrame(payload: Buffer, opcode = TEXT): Buffer {
  const size = payload.length
  const head = size < LENGTH_16 ? Buffer.from([FINAL | opcode, MASKED | size]) : Buffer.alloc(4)
  if (size >= LENGTH_16) {
    head.set([FINAL | opcode, MASKED | LENGTH_16])
    head.writeUInt16BE(size, 2)
  }
  const mask = randomBytes(4)
  return Buffer.concat([head, mask, payload.map((byte, at) => byte ^ mask[at % 4]!)])
}

interface Frame {
  readonly opcode: number
  readonly isFinal: boolean
  readonly payload: Buffer
  readonly size: number
}

/** Returns the first complete frame of a server, which is not masked. Undefined while bytes are missing. */
function frameIn(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined
  const short = bytes[1]! & 0x7f
  const head = short === LENGTH_16 ? 4 : short === LENGTH_64 ? 10 : 2
  if (bytes.length < head) return undefined
  const length =
    short === LENGTH_16 ? bytes.readUInt16BE(2) : short === LENGTH_64 ? Number(bytes.readBigUInt64BE(2)) : short
  if (bytes.length < head + length) return undefined
  const payload = bytes.subarray(head, head + length)
  return { opcode: bytes[0]! & 0x0f, isFinal: (bytes[0]! & FINAL) !== 0, payload, size: head + length }
}

/** Splits the bytes of a server into text messages. Skips binary messages and control frames. */
export class FrameReader {
  readonly #maxBytes: number
  #bytes: Buffer = Buffer.alloc(0)
  #text: Buffer[] | undefined

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Returns the complete text messages. Throws when a message is larger than allowed. */
  take(chunk: Buffer): string[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
    if (this.#bytes.length > this.#maxBytes) throw new Error('message too large')
    const messages: string[] = []
    for (let frame = frameIn(this.#bytes); frame; frame = frameIn(this.#bytes)) {
      this.#bytes = this.#bytes.subarray(frame.size)
      if (frame.opcode === TEXT) this.#text = [frame.payload]
      else if (frame.opcode === 0) this.#text?.push(frame.payload)
      else if (frame.opcode < 8) this.#text = undefined
      if (frame.opcode < 8 && frame.isFinal && this.#text) {
        messages.push(Buffer.concat(this.#text).toString('utf8'))
        this.#text = undefined
      }
    }
    return messages
  }
}
