/** Kinds of turns. */
export const TURN_KIND = { user: 1, agent: 2, tool: 3 } as const
export type TurnKind = (typeof TURN_KIND)[keyof typeof TURN_KIND]

const MAX_CONTENT = 20_000
const MAX_SPEAKER = 64
/** Smaller values are seconds, because old voice servers report seconds. */
const FIRST_MILLISECONDS = 100_000_000_000
const DAY_MS = 24 * 60 * 60 * 1000
/**
 * Limits of a credible time, before and after the arrival. Voice servers report a turn within minutes. A wrong clock
 * could count the use of many days on one day, which spends only one device day. Retention would delete
 * an old turn in the next night.
 */
const [MAX_AGE_MS, MAX_AHEAD_MS] = [7 * DAY_MS, DAY_MS]

/** A turn as a voice server reports it, with cleaned texts. */
export interface ReportedTurn {
  readonly kind: TurnKind
  /** Text that identifies the turn within its kind, time and session. A repeated report has the same text. */
  readonly raw: string
  /** Spoken text, or the JSON of a tool call. */
  readonly content: string
  /** Recognised speaker; empty: none. */
  readonly speaker: string
  /** Epoch milliseconds. */
  readonly time: number
  /** True when the clock of the voice server is wrong. `time` is then the arrival, and `raw` contains the reported time. */
  readonly isClockWrong: boolean
  /** True for the call of a tool, false for the result that the voice server reports beside the call. */
  readonly isToolCall: boolean
  readonly characters: number
}

/** Finds the type of a tool call in the JSON of a report, which may be cut. Quotes inside texts are escaped. */
const TOOL_CALL = /"type":\s*"tool"/

/** Removes NUL and lone surrogates, which PostgreSQL cannot store. */
const cleaned = (text: string) => text.toWellFormed().replaceAll('\0', '')

/** Reads kind, text and time of a report. Undefined when the report has no kind or no text. */
export function parseReportedTurn(
  { chatType, content, reportTime }: Readonly<Record<string, unknown>>,
  now: number,
): ReportedTurn | undefined {
  const kind = numberOf(chatType)
  if (kind !== TURN_KIND.user && kind !== TURN_KIND.agent && kind !== TURN_KIND.tool) return undefined
  const raw = cleaned(wordsOf(content)).slice(0, MAX_CONTENT)
  if (raw === '') return undefined
  const words = kind === TURN_KIND.user ? spokenWords(raw) : { content: raw, speaker: '' }
  const characters = kind === TURN_KIND.tool ? 0 : [...words.content].length
  const reported = reportedTime(reportTime)
  const isClockWrong = reported !== undefined && (reported > now + MAX_AHEAD_MS || reported < now - MAX_AGE_MS)
  return {
    kind,
    // A repeated report arrives at another time. Its reported time identifies the turn among turns with the same text.
    raw: isClockWrong ? `${reported} ${raw}` : raw,
    ...words,
    time: isClockWrong ? now : (reported ?? now),
    isClockWrong,
    isToolCall: kind === TURN_KIND.tool && TOOL_CALL.test(raw),
    characters,
  }
}

/** Old voice servers send numbers as text. Other types count as missing, because `Number` throws for some objects. */
const numberOf = (value: unknown): number =>
  typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN

/**
 * Returns the content of a report as text. Objects become JSON; an object that is nested too deeply becomes an empty
 * text.
 */
function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (content === undefined || content === null) return ''
  try {
    return JSON.stringify(content)
  } catch {
    return ''
  }
}

/** Reads the text of a user: plain text, or JSON with the recognised speaker. */
function spokenWords(raw: string): { readonly content: string; readonly speaker: string } {
  if (raw.startsWith('{'))
    try {
      const { content, speaker } = JSON.parse(raw) as Record<string, unknown>
      if (typeof content === 'string')
        return {
          content: cleaned(content),
          speaker: typeof speaker === 'string' ? cleaned(speaker).trim().slice(0, MAX_SPEAKER) : '',
        }
    } catch {
      // The text is not JSON, although it starts with a brace.
    }
  return { content: raw, speaker: '' }
}

/** Returns the reported time in epoch milliseconds; undefined when the report has none. */
function reportedTime(reported: unknown): number | undefined {
  const value = numberOf(reported)
  if (!Number.isFinite(value) || value <= 0) return undefined
  return Math.round(value < FIRST_MILLISECONDS ? value * 1000 : value)
}

const WAV_HEADER = 44
const RATE_AT = 28
const DEFAULT_RATE = 32_000
/** Bytes per second of 8 kHz mono 8 bit, and of 96 kHz stereo 32 bit. Any other rate comes from a wrong header. */
const [MIN_RATE, MAX_RATE] = [8000, 768_000]

/**
 * Returns the duration of a WAV file in seconds: the size of the file divided by the byte rate of its header. The sizes
 * in the header are not used.
 */
export function computeWavSeconds(head: Uint8Array, size: number): number {
  const header = Buffer.from(head.buffer, head.byteOffset, head.length)
  const isWav = header.length >= WAV_HEADER && header.toString('latin1', 0, 4) === 'RIFF'
  const rate = isWav ? header.readUInt32LE(RATE_AT) : DEFAULT_RATE
  const bytesPerSecond = rate >= MIN_RATE && rate <= MAX_RATE ? rate : DEFAULT_RATE
  return Math.round((Math.max(0, size - WAV_HEADER) / bytesPerSecond) * 10) / 10
}
