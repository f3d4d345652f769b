import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { IncomingMessage } from 'node:http'
import { sanitizeDeviceText, badRequest } from '#modules/device/wire/response.ts'
import { parseRepairedJson, readReport } from '#modules/device/wire/request.ts'
import {
  formatResultCode,
  isFailureWord,
  splitUnreadableReport,
  formatJsonValue,
  UNREADABLE_REPORT,
} from './report-words.ts'
import { salvageDetails, salvageField, salvageWord, salvageWholeField } from './salvage.ts'
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
