import type { IncomingMessage } from 'node:http'
import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { parseRepairedJson, readReport } from '#modules/device/wire/request.ts'
import { sanitizeDeviceText, badRequest } from '#modules/device/wire/response.ts'
import type { TaskLogEntry, LockedTask, TaskStep } from './tasks.ts'

const EXECUTIONS = new Set([
  'closed',
  'proceeding',
  'canceled',
  'scheduled',
  'rejected',
  'resumed',
  'download',
  'downloading',
  'downloaded',
])

/** A parsed report of a hawkBit client. */
export interface Feedback extends TaskLogEntry {
  readonly execution: string
  readonly finished: string
  readonly progress: number | undefined
  /** Lines that may contain the failure reason. */
  readonly details: readonly string[]
  /** True when the device reports a failed update. */
  readonly isFailure: boolean
  /** True for a complete report with values of the protocol. Any other report can only fail a task. */
  readonly isUnderstood: boolean
  /** Text as received, only of a report that was not understood. */
  readonly raw: readonly string[]
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

/** Reads the report of a request, also when invalid: a lost failure report would suppress the alarm. */
export async function readFeedback(request: IncomingMessage): Promise<Feedback> {
  const { text, isCut } = await readReport(request)
  if (text.trim() === '') throw badRequest('the report is empty')
  return parseFeedback(text, isCut)
}

/** Parses a report. Searches invalid JSON for single fields. */
export function parseFeedback(text: string, isCut = false): Feedback {
  const found = isCut ? undefined : parseRepairedJson(text)
  const said = found === undefined ? salvageFeedback(text) : fieldsOf(record(found))
  const { execution, finished } = said
  const isClosed = execution === 'closed'
  const isKnown = EXECUTIONS.has(execution)
  const isFailure = isFailureWord(execution) || (isFailureWord(finished) && (isClosed || !isKnown))
  const isComplete = found !== undefined && isKnown
  const isUnderstood = isComplete && (!isClosed || isFailure || finished === 'success' || finished === 'none')
  return { ...said, isFailure, isUnderstood, raw: isUnderstood ? [] : splitUnreadableReport(text) }
}

/**
 * Returns the fields of a feedback body. An absent `finished` becomes an empty text, which differs from the value
 * `none`.
 */
function fieldsOf(body: Record<string, unknown>) {
  const status = record(body.status)
  const result = record(status.result)
  const { cnt, of } = record(result.progress)
  const percent = (Number(cnt) / Number(of)) * 100
  const details = Array.isArray(status.details) ? status.details : status.details === undefined ? [] : [status.details]
  return {
    execution: formatJsonValue(status.execution).toLowerCase(),
    finished: formatJsonValue(result.finished).toLowerCase(),
    code: formatResultCode(status.code),
    details: details.map(formatJsonValue),
    progress: Number(of) > 0 && Number(cnt) >= 0 && Number.isFinite(percent) ? percent : undefined,
  }
}

function salvageFeedback(text: string) {
  const execution = salvageField(text, 'execution')?.value.toLowerCase() ?? ''
  const finished = salvageWord(text, 'finished', 'failure')
  const code = formatResultCode(salvageWholeField(text, 'code'))
  return { execution, finished, code, details: salvageDetails(text), progress: undefined }
}

/** Returns the log entry of a report. Includes the received text when not understood. */
export const toLogEntry = ({ execution, finished, code, details, raw }: Feedback): TaskLogEntry => ({
  execution: execution || 'unreadable',
  finished,
  code: code ?? null,
  details: raw.length > 0 ? raw : details,
})

const DEFAULT_WORDS: Readonly<Record<string, string>> = {
  closed: '设备报告结束',
  canceled: '设备取消了升级',
  rejected: '设备拒绝了升级',
}

const FAILED = '设备报告升级失败'

/** Returns the state change that a report on `deploymentBase` causes. A late report never sets a task back. */
export function determineStep(task: LockedTask, feedback: Feedback, isDownloading: boolean): TaskStep {
  const { execution, isFailure, isUnderstood, code = null } = feedback
  if (isFailure) return { state: TASK_STATE_CODE.failed, reason: findFailureReason(feedback) || FAILED, code }
  if (!isUnderstood) return { reason: UNREADABLE_REPORT }
  if (execution === 'closed') return { state: TASK_STATE_CODE.succeeded, reason: '', code }
  if (execution === 'canceled') return { state: TASK_STATE_CODE.cancelled, reason: findFailureReason(feedback) }
  if (task.state === TASK_STATE_CODE.cancelling) return {}
  if (execution === 'rejected') return { reason: findFailureReason(feedback) }
  const state = Math.max(task.state, openStateOf(task.state, execution, isDownloading))
  return { state, ...(state === TASK_STATE_CODE.installing && progressOf(feedback)) }
}

/** `proceeding` does not name a phase: after the download it means the installation. */
function openStateOf(state: number, execution: string, isDownloading: boolean) {
  if (execution === 'download' || execution === 'downloading') return TASK_STATE_CODE.downloading
  if (execution === 'downloaded') return TASK_STATE_CODE.downloaded
  if (execution === 'scheduled' || isDownloading || state < TASK_STATE_CODE.downloading) return TASK_STATE_CODE.fetched
  return TASK_STATE_CODE.installing
}

const progressOf = ({ progress }: Feedback) => (progress === undefined ? {} : { progress })

/** Lines that SWUpdate writes at every start and after a resumed download. */
const NOISE = /stored update state|channel_/i
/** `LastError` is the name of RAUC's error in rauc-hawkbit-updater. */
const ERROR = /\b(?:last)?error\b/i
/**
 * Messages of SWUpdate that follow a cause: of its download after the installer stopped reading, and of its parser
 * after a refused signature. On a busy device they can precede the cause.
 */
const CONSEQUENCE = /\bchannel (?:\w+ )?operation\b|\bIPC stream\b|\bcompatible SW not found\b/i
const DESCRIPTIVE = /fail|invalid|mismatch|denied|not |no such|cannot|unable/i

/**
 * Returns the failure reason, by which failures are grouped: the first line that contains "error", because later
 * errors are consequences. Known consequences count only without another error. Otherwise the last line that sounds
 * like an error.
 */
export function findFailureReason({ details, execution }: Pick<Feedback, 'details' | 'execution'>) {
  const lines = details.map((each) => sanitizeDeviceText(each, 500)).filter((line) => line !== '' && !NOISE.test(line))
  const errors = lines.filter((line) => ERROR.test(line))
  const cause = errors.find((line) => !CONSEQUENCE.test(line)) ?? errors[0]
  const error = cause?.replace(/^(?:last)?error\s*:\s*/i, '')
  return error ?? lines.findLast((line) => DESCRIPTIVE.test(line)) ?? lines.at(-1) ?? DEFAULT_WORDS[execution] ?? ''
}

/** Returns at most this many lines in their order: all errors first, then the latest lines. */
export function selectInformativeLines(details: readonly string[], most: number): readonly string[] {
  if (details.length <= most) return details
  const errors = new Set(filterErrorLines(details).slice(0, most))
  const spare = most - errors.size
  const others = new Set(spare > 0 ? details.filter((line) => !errors.has(line)).slice(-spare) : [])
  return details.filter((line) => errors.has(line) || others.has(line)).slice(0, most)
}

/**
 * Returns the lines of earlier reports that may contain the cause. SWUpdate sends its log in parts, the relevant
 * part first or last.
 */
export const filterErrorLines = (details: readonly string[]) => details.filter((line) => ERROR.test(line))

/** Words that clients use for a failed update, although the protocol defines only `failure` and `failed`. */
const FAILURE = new Set(['failure', 'failed', 'fail', 'error', 'err', 'aborted', 'abort', 'fatal'])

export const isFailureWord = (word: string) => FAILURE.has(word)

/** Maximum length of a code, equal to that of the column. */
const MAX_CODE = 32

/** Returns a result code as text: clients send unsigned 32-bit numbers, fractions and words. Null without a code. */
export function formatResultCode(value: unknown): string | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  return sanitizeDeviceText(value, MAX_CODE) || null
}

/** Returns any JSON value as text for a person: objects as JSON, never as `[object Object]`. */
export function formatJsonValue(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'object') return String(value)
  try {
    return JSON.stringify(value)
  } catch {
    // The value is nested deeper than the stack permits.
    return '（内容嵌套过深）'
  }
}

/** Text shown on a task whose device sent an unreadable report. */
export const UNREADABLE_REPORT = '设备的报告无法完整读取，任务状态未改变，原文见任务记录'
const RAW_TITLE = '设备的报告无法完整读取，原文：'
const RAW_LINE = 500
const RAW_LINES = 49

/** Returns an unreadable report as lines of a task log: a title and the text as received, up to the limit of a log. */
export function splitUnreadableReport(text: string): string[] {
  const lines = [RAW_TITLE]
  for (let at = 0; at < text.length && lines.length <= RAW_LINES; at += RAW_LINE)
    lines.push(text.slice(at, at + RAW_LINE))
  return lines
}

/*
 * Reads single fields from invalid JSON, such as a cut report or nested quotes. Every function runs in time linear
 * in the text length.
 */

/** Maximum length of a value: state words and numbers are shorter. */
const MAX_VALUE = 64

interface SalvagedField {
  readonly value: string
  /** True when the text ends inside the value. */
  readonly isCut: boolean
}

/** Returns the first value of the field, a string or a number; undefined when the text has no such field. */
export function salvageField(text: string, name: string): SalvagedField | undefined {
  const from = valueStart(text, name)
  if (from === undefined) return undefined
  const isString = text[from] === '"'
  const found = (isString ? STRING : BARE).exec(text.slice(from, from + MAX_VALUE + 2))?.[1] ?? ''
  const end = from + found.length + (isString ? 1 : 0)
  return { value: found, isCut: end >= text.length }
}

/** Returns the value of a field that is complete in the text. */
export function salvageWholeField(text: string, name: string): string | undefined {
  const found = salvageField(text, name)
  return found && !found.isCut ? found.value : undefined
}

/** Returns a word in lower case. A prefix of `failure` at the end of the text counts as `failure`. */
export function salvageWord(text: string, name: string, failure: string): string {
  const { value = '', isCut = false } = salvageField(text, name) ?? {}
  const word = value.toLowerCase()
  return isCut && word !== '' && failure.startsWith(word) ? failure : word
}

const STRING = /^"([^"]*)/
const BARE = /^([^\s,}\]"]*)/

/** Returns the readable texts of the `details` list. */
function salvageDetails(text: string): string[] {
  const from = valueStart(text, 'details')
  if (from === undefined) return []
  const list = trimCharacters(text.slice(text[from] === '[' ? from + 1 : from), LIST_MARKS)
  return list === '' ? [] : list.split(/"\s*,\s*"/)
}
const LIST_MARKS = new Set([']', '}', '"', ' ', '\n', '\r', '\t'])

function valueStart(text: string, name: string): number | undefined {
  const key = `"${name}"`
  const at = text.indexOf(key)
  if (at < 0) return undefined
  const colon = skipSpace(text, at + key.length)
  if (text[colon] !== ':') return undefined
  const from = skipSpace(text, colon + 1)
  return from < text.length ? from : undefined
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && ' \n\r\t'.includes(text[at]!)) at += 1
  return at
}

/** Trims characters with a loop, because a regular expression anchored at the end takes quadratic time. */
function trimCharacters(text: string, marks: ReadonlySet<string>): string {
  let [from, to] = [0, text.length]
  while (from < to && marks.has(text[from]!)) from += 1
  while (to > from && marks.has(text[to - 1]!)) to -= 1
  return text.slice(from, to)
}
