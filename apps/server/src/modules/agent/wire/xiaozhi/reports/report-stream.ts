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
