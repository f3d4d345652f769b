import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from '#core/config/config.ts'

const FRAME = /(file:\/\/[^\s()]+?\.mjs):(\d+):(\d+)/g
const maps = new Map<string, SourceMap | undefined>()

/** Returns the log record of an error with source locations in its stack. Source maps are loaded at the first error. */
export function formatError(error: unknown) {
  return withReadableStacks(toErrorRecord(error))
}

function withReadableStacks(record: ErrorRecord): ErrorRecord {
  return {
    ...record,
    ...(record.stack && { stack: formatStack(record.stack) }),
    ...(record.cause && { cause: withReadableStacks(record.cause) }),
    ...(record.errors && { errors: record.errors.map(withReadableStacks) }),
  }
}

/** Replaces locations in a bundle by source locations when the bundle has a source map. */
export const formatStack = (stack: string) =>
  stack.replace(FRAME, (frame, url: string, line: string, column: string) => {
    const file = fileURLToPath(url)
    const found = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1)
    return found && 'originalSource' in found && found.originalSource
      ? `${join(dirname(file), found.originalSource)}:${found.originalLine + 1}:${found.originalColumn + 1}`
      : frame
  })

function mapOf(file: string) {
  if (!maps.has(file)) maps.set(file, readMap(file))
  return maps.get(file)
}

function readMap(file: string) {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')))
  } catch {
    return undefined
  }
}

/** Fields of driver errors that name schema objects or kinds of failure, never values of rows. */
const SAFE_FIELDS = [
  'code',
  'errno',
  'syscall',
  'status',
  'statusCode',
  'severity',
  'schema',
  'table',
  'column',
  'dataType',
  'constraint',
  'routine',
  // Name of the queue in errors of the job queue.
  'queue',
] as const
const MAX_MESSAGE = 1000
const MAX_DEPTH = 5

interface ErrorRecord {
  readonly type: string
  readonly message: string
  readonly stack?: string
  readonly cause?: ErrorRecord
  readonly errors?: readonly ErrorRecord[]
  readonly [field: string]: unknown
}

/**
 * Returns what the log may keep of an error: type, message, stack frames, causes and the fields of `SAFE_FIELDS`. Query
 * parameters, PostgreSQL's `detail` and `where`, and any other property may hold personal data and are left out.
 */
export function toErrorRecord(error: unknown, depth = 0): ErrorRecord {
  if (typeof error === 'string') return { type: 'string', message: withoutParameters(error).slice(0, MAX_MESSAGE) }
  if (!isErrorLike(error)) return { type: typeof error, message: 'a value that is not an error was thrown' }
  const fields = error as unknown as Readonly<Record<string, unknown>>
  const kept = SAFE_FIELDS.flatMap((name) => (isScalar(fields[name]) ? [[name, fields[name]] as const] : []))
  const frames = framesOf(error)
  const isDeep = depth >= MAX_DEPTH
  return {
    type: typeOf(error),
    message: readMessageSafely(error),
    ...(frames && { stack: frames }),
    ...Object.fromEntries(kept),
    ...(error.cause !== undefined && !isDeep && { cause: toErrorRecord(error.cause, depth + 1) }),
    ...(error instanceof AggregateError &&
      !isDeep && { errors: error.errors.map((inner) => toErrorRecord(inner, depth + 1)) }),
  }
}

/** Returns the message of an error without query parameters and without the values that PostgreSQL quotes. */
export function readMessageSafely(error: Error): string {
  const fields = error as unknown as Readonly<Record<string, unknown>>
  if (typeof fields.query === 'string' && 'params' in fields)
    return `Failed query: ${fields.query}`.slice(0, MAX_MESSAGE)
  const message = withoutParameters(error.message)
  // Class 22 errors are data exceptions. Their messages quote the value (`invalid input syntax for type integer:
  // "…"`).
  const quotesValue = typeof fields.code === 'string' && /^22[0-9A-Z]{3}$/.test(fields.code)
  return (quotesValue ? message.replaceAll(/"[^"]*"/g, '"…"') : message).slice(0, MAX_MESSAGE)
}

const withoutParameters = (message: string) => message.split('\nparams:', 1)[0] ?? ''

/** Returns true for errors, and for copies of errors (`{ ...error, message, stack }`), which the job queue reports. */
const isErrorLike = (value: unknown): value is Error =>
  value instanceof Error ||
  (typeof value === 'object' && value !== null && typeof (value as Partial<Error>).message === 'string')

/** Returns the class of an error. A copy of an error has no name; the first line of its stack starts with the class. */
function typeOf({ name, stack }: Partial<Error>): string {
  if (typeof name === 'string') return name
  return (typeof stack === 'string' && /^\w{1,100}(?=[:\n])/.exec(stack)?.[0]) || 'Error'
}

const isScalar = (value: unknown) => typeof value === 'string' || typeof value === 'number'

/** Returns only the stack frames. The first lines of a stack repeat the message with its values. */
const framesOf = ({ stack }: Error) =>
  String(stack ?? '')
    .split('\n')
    .filter((line) => /^\s{4}at /.test(line))
    .join('\n')

/** Creates the JSON log of a process. `formatError` removes query parameters from every error. */
export const createLogger = (level: Config['logLevel'], destination?: DestinationStream): Logger =>
  destination
    ? pino({ level, serializers: { err: formatError, error: formatError } }, destination)
    : pino({ level, serializers: { err: formatError, error: formatError } })
