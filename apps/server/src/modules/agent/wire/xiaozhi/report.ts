import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { sendRequestTimeout } from '#core/http/limits/request-body.ts'
import type { Services } from '#core/services.ts'
import type { StoredFile } from '#core/storage/store.ts'
import { parseRepairedJson } from '#modules/device/wire/request.ts'
import { DeviceError } from '#modules/device/wire/response.ts'
import { type ReportTarget, type TurnAudio, TurnsBusy } from '../../history/turn-writer.ts'
import { computeWavSeconds, parseReportedTurn } from '../../history/turn.ts'
import { isSecretValidFor } from './agent-models.ts'
import { parseMacDigits, CallRefusedError, RESPONSE_CODE, cleanText, readSessionId, type ServerCall } from './call.ts'

const MIB = 1024 * 1024
const MAX_BODY = 20 * MIB
const MAX_TEXT = 256 * 1024
/**
 * Maximum total bytes of the bodies that this process receives at the same time. Above the limit, the client gets 503
 * and repeats the call later.
 */
const MAX_UNDER_WAY = 256 * MIB
const KEEPS_AUDIO = 2
/**
 * Maximum pause inside a body. Without this limit, a voice server that lost its connection would occupy its share of
 * `MAX_UNDER_WAY` for ever.
 */
const PAUSE_MS = 30_000
let underWay = 0

/** `POST agent/chat-history/report`: stores one turn. Returns false for a device without an agent. */
export async function handleTurnReport(call: ServerCall): Promise<boolean> {
  const size = sizeOf(call.request)
  if (underWay + size > MAX_UNDER_WAY) throw new DeviceError(503, 'busy', 30)
  underWay += size
  try {
    return await store(call)
  } catch (error) {
    if (error instanceof TurnsBusy) throw new DeviceError(503, 'busy', 30)
    throw error instanceof ReportTextTooLong ? tooLarge() : error
  } finally {
    underWay -= size
  }
}

const tooLarge = () => new CallRefusedError(RESPONSE_CODE.tooLarge, '上报内容过大')

/** Returns the declared size of the body; the limit for a body of unknown size. Throws for a larger body. */
function sizeOf({ headers }: IncomingMessage): number {
  const size = headers['content-length'] === undefined ? MAX_BODY : Number(headers['content-length'])
  if (size > MAX_BODY) throw tooLarge()
  return size
}

async function store(call: ServerCall): Promise<boolean> {
  const { voiceServers } = call.side.services
  const stream = new ReportStream(MAX_TEXT)
  const stopWatch = cutAfterPause(call.request)
  const audio = await storeAudio(call, stream).finally(stopWatch)
  const body = fieldsOf(stream.text())
  const turn = parseReportedTurn(body, call.now)
  const mac = parseMacDigits(cleanText(body['macAddress']))
  const sessionId = readSessionId(body['sessionId'])
  if (!turn || sessionId === '' || mac === undefined) {
    if (mac === undefined || sessionId === '')
      throw new CallRefusedError(RESPONSE_CODE.blank, 'macAddress and sessionId are needed')
    return false
  }
  return voiceServers.turns.add({ mac, sessionId, turn, audio, serverTenant: call.serverTenant })
}

/**
 * Sends status 408 when the body pauses for too long. Returns a function that stops the timer, because the next request
 * on the connection starts another timer.
 */
function cutAfterPause(request: IncomingMessage) {
  const { socket } = request
  const cut = () => sendRequestTimeout(request)
  request.setTimeout(PAUSE_MS, cut)
  return () => {
    request.off('timeout', cut)
    socket.setTimeout(0)
  }
}

function fieldsOf(text: string): Record<string, unknown> {
  const found = parseRepairedJson(text)
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : {}
}

/** Reads the body to its end. Stores the audio when the device's agent keeps audio, else drops its bytes. */
async function storeAudio(call: ServerCall, stream: ReportStream): Promise<TurnAudio | undefined> {
  const slices = audioSlices(call.request, stream)
  const first = await slices.next()
  if (first.done === true) return undefined
  const target = await audioTarget(call, stream)
  if (!target) {
    for await (const _ of slices);
    return undefined
  }
  const { services } = call.side
  const stored = await services.files.put(joined(first.value, slices))
  return recordAudio(services, stored, target.tenantId)
}

/** Decodes the body while it arrives. */
async function* audioSlices(request: IncomingMessage, stream: ReportStream): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY) throw tooLarge()
    const slice = stream.take(chunk)
    if (slice && slice.length > 0) yield slice
  }
}

async function* joined(first: Buffer, rest: AsyncIterable<Buffer>) {
  yield first
  yield* rest
}

/**
 * Returns the device whose audio arrives, or undefined when the audio is not kept. Clients send the MAC before the
 * audio.
 */
async function audioTarget(call: ServerCall, stream: ReportStream): Promise<ReportTarget | undefined> {
  const { macAddress, chatType } = fieldsBeforeAudio(stream.text())
  const mac = parseMacDigits(cleanText(macAddress))
  if (mac === undefined || Number(chatType) === 3) return undefined
  const target = (await call.side.services.voiceServers.turns.targetsOf([mac])).get(mac)
  return target && target.keeps >= KEEPS_AUDIO && isSecretValidFor(call, target.tenantId) ? target : undefined
}

/** Returns the fields before the audio. The text may end there, or after a short audio that arrived in one piece. */
function fieldsBeforeAudio(text: string) {
  const head = text.slice(0, Math.max(0, text.indexOf('"audioBase64"'))).trimEnd()
  return fieldsOf(`${head.endsWith(',') ? head.slice(0, -1) : head}}`)
}

/** Inserts the row of a recording. A row that no turn uses is deleted after a day. */
async function recordAudio({ database }: Services, stored: StoredFile, tenantId: number): Promise<TurnAudio> {
  const id = randomBytes(16).toString('hex')
  const { size, md5, sha1, sha256, head } = stored
  await database.pool.query({
    name: 'agent-turn-audio',
    text: `insert into files (id, tenant_id, purpose, name, mime, size, md5, sha1, sha256)
      values ($1, $2, 'agentTurn', 'turn.wav', 'audio/wav', $3, $4, $5, $6)`,
    values: [id, tenantId, size, md5, sha1, sha256],
  })
  return { id, seconds: computeWavSeconds(head, size) }
}

/** Key whose value is separated from the text. */
const AUDIO_KEY = 'audioBase64'
const [QUOTE, BACKSLASH, COLON, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [...'"\\:{}[]'].map((each) => each.charCodeAt(0))
const BASE64_GROUP = 4

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** Thrown when the text around the audio exceeds the limit. */
export class ReportTextTooLong extends Error {
  override readonly name = 'ReportTextTooLong'
}

/**
 * Splits the JSON body of a report while the body arrives. Decodes the value of `audioBase64` in slices and keeps all
 * other bytes as text. A body of 20 MB never exists as one string.
 */
export class ReportStream {
  readonly #maxText: number
  readonly #text: Buffer[] = []
  #textSize = 0
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** Bytes of the current string while it may be the key of the audio. */
  #word: number[] | undefined
  /** State after the key of the audio: expects the colon, then the quote that opens the value. */
  #expects: 'nothing' | 'colon' | 'value' = 'nothing'
  #isAudio = false
  #carry = ''

  constructor(maxText: number) {
    this.#maxText = maxText
  }

  /** True from the first byte of the audio on. */
  get hasAudio() {
    return this.#isAudio || this.#wasAudio
  }
  #wasAudio = false

  /** Takes the next bytes of the body. Returns the decoded audio in them. */
  take(chunk: Buffer): Buffer | undefined {
    const audio: Buffer[] = []
    let from = 0
    let at = 0
    while (at < chunk.length) {
      if (this.#isAudio) {
        const end = chunk.indexOf(QUOTE!, at)
        audio.push(this.#decode(chunk.subarray(at, end < 0 ? chunk.length : end), end >= 0))
        at = end < 0 ? chunk.length : end
        from = at
        if (end < 0) break
        this.#isAudio = false
        at += 1
        continue
      }
      this.#step(chunk[at]!)
      at += 1
      if (this.#isAudio) this.#keep(chunk.subarray(from, at))
    }
    if (!this.#isAudio) this.#keep(chunk.subarray(from))
    return audio.length === 0 ? undefined : audio.length === 1 ? audio[0] : Buffer.concat(audio)
  }

  /** Returns the text read so far, with an empty value for the audio. */
  text(): string {
    return Buffer.concat(this.#text).toString('utf8')
  }

  #keep(bytes: Buffer) {
    this.#textSize += bytes.length
    if (this.#textSize > this.#maxText) throw new ReportTextTooLong('the text of the report is too long')
    // Copies the bytes, because a slice would keep the memory of the whole chunk.
    if (bytes.length > 0) this.#text.push(Buffer.from(bytes))
  }

  #step(byte: number) {
    if (this.#isInString) return this.#stepInString(byte)
    if (byte === QUOTE) {
      if (this.#expects === 'value') {
        this.#isAudio = this.#wasAudio = true
        this.#expects = 'nothing'
        return
      }
      this.#isInString = true
      this.#word = this.#depth === 1 ? [] : undefined
      return
    }
    if (isSpace(byte)) return
    this.#expects = this.#expects === 'colon' && byte === COLON ? 'value' : 'nothing'
    if (byte === OPEN || byte === OPEN_LIST) this.#depth += 1
    if (byte === CLOSE || byte === CLOSE_LIST) this.#depth -= 1
  }

  #stepInString(byte: number) {
    if (this.#isEscaped) {
      this.#isEscaped = false
      return
    }
    if (byte === BACKSLASH) {
      this.#isEscaped = true
      this.#word = undefined
    } else if (byte === QUOTE) {
      this.#isInString = false
      const isKey = this.#word !== undefined && Buffer.from(this.#word).toString('latin1') === AUDIO_KEY
      this.#expects = isKey ? 'colon' : 'nothing'
      this.#word = undefined
    } else if (this.#word && this.#word.push(byte) > AUDIO_KEY.length) this.#word = undefined
  }

  /** Decodes whole groups of four base64 characters and keeps the remaining characters for the next slice. */
  #decode(bytes: Buffer, isLast: boolean): Buffer {
    const fresh = bytes.toString('latin1')
    // Removes the backslashes with which JSON may escape slashes, and the line ends that MIME encoders insert.
    const text = this.#carry + (/[\\\s]/.test(fresh) ? fresh.replaceAll(/[\\\s]/g, '') : fresh)
    const whole = isLast ? text.length : text.length - (text.length % BASE64_GROUP)
    this.#carry = text.slice(whole)
    return Buffer.from(text.slice(0, whole), 'base64')
  }
}
