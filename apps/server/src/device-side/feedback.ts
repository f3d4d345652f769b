import { TASK } from '@oms/contract/ota-task.ts'
import type { IncomingMessage } from 'node:http'
import { clean, wrong } from './answer.ts'
import { parsed, readText } from './read-body.ts'
import type { Entry, LockedTask, Step } from './tasks.ts'

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
const FINISHED = new Set(['success', 'failure', 'none'])

/** A report as hawkBit's clients send it, with what is needed of it. */
export interface Feedback extends Entry {
  readonly execution: string
  readonly finished: string
  readonly progress: number | undefined
  readonly details: readonly string[]
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

/** Reads the report of a request, however broken: a lost failure report would leave a fleet without its alarm. */
export async function readFeedback(request: IncomingMessage): Promise<Feedback> {
  const text = await readText(request)
  return feedbackOf(record(parsed(text) ?? salvaged(text)))
}

/** Of a text that is no JSON (quotes inside quotes, a cut end) the words that decide, and the rest as one detail. */
function salvaged(text: string) {
  const execution = /"execution"\s*:\s*"(\w+)"/.exec(text)?.[1]
  const finished = /"finished"\s*:\s*"(\w+)"/.exec(text)?.[1]
  const code = /"code"\s*:\s*(-?\d{1,9})/.exec(text)?.[1]
  const details = /"details"\s*:\s*\[?([\s\S]*)/
    .exec(text)?.[1]
    ?.replace(/[\]}\s"]+$/, '')
    .replace(/^[\s"]+/, '')
  return {
    status: {
      execution,
      result: { finished },
      ...(code && { code: Number(code) }),
      ...(details && { details: details.split(/"\s*,\s*"/) }),
    },
  }
}

/** Takes a report apart. Only what decides is demanded; anything else may be odd or missing. */
function feedbackOf(body: Record<string, unknown>): Feedback {
  const status = record(body.status)
  const result = record(status.result)
  const execution = String(status.execution ?? '').toLowerCase()
  const finished = String(result.finished ?? 'none').toLowerCase()
  if (!EXECUTIONS.has(execution)) throw wrong('status.execution is missing or unknown')
  if (!FINISHED.has(finished)) throw wrong('status.result.finished is unknown')
  const { cnt, of } = record(result.progress)
  const details = Array.isArray(status.details) ? status.details : status.details === undefined ? [] : [status.details]
  return {
    execution,
    finished,
    code: typeof status.code === 'number' ? status.code : null,
    details: details.map(String),
    progress: Number(of) > 0 && Number(cnt) >= 0 ? (Number(cnt) / Number(of)) * 100 : undefined,
  }
}

const DEFAULT_WORDS: Readonly<Record<string, string>> = {
  closed: '设备报告结束',
  canceled: '设备取消了升级',
  rejected: '设备拒绝了升级',
}

/** What a report on `deploymentBase` makes of a task. A report that came late never takes one back. */
export function stepOf(task: LockedTask, feedback: Feedback, isDownloading: boolean): Step {
  const { execution, finished, code = null } = feedback
  if (execution === 'closed') {
    const failed = finished === 'failure'
    return { state: failed ? TASK.failed : TASK.succeeded, reason: failed ? reasonOf(feedback) : '', code }
  }
  if (execution === 'canceled') return { state: TASK.cancelled, reason: reasonOf(feedback) }
  if (task.state === TASK.cancelling) return {}
  if (execution === 'rejected') return { reason: reasonOf(feedback) }
  const state = Math.max(task.state, openStateOf(task.state, execution, isDownloading))
  return { state, ...(state === TASK.installing && progressOf(feedback)) }
}

/** `proceeding` says nothing of what proceeds: after the bytes were fetched it is the installation. */
function openStateOf(state: number, execution: string, isDownloading: boolean) {
  if (execution === 'download' || execution === 'downloading') return TASK.downloading
  if (execution === 'downloaded') return TASK.downloaded
  if (execution === 'scheduled' || isDownloading || state < TASK.downloading) return TASK.fetched
  return TASK.installing
}

const progressOf = ({ progress }: Feedback) => (progress === undefined ? {} : { progress })

/** Lines SWUpdate writes at every start, and about a download it took up again. */
const NOISE = /stored update state|channel_/i
/** `LastError` is what rauc-hawkbit-updater calls RAUC's. */
const ERROR = /\b(?:last)?error\b/i
/** What SWUpdate's download says when the installer stopped taking its bytes: on a busy device even before the cause. */
const CONSEQUENCE = /\bchannel (?:\w+ )?operation\b|\bIPC stream\b/i
const TELLING = /fail|invalid|mismatch|denied|not |no such|cannot|unable/i

/**
 * The words a person reads as the reason, and by which failures are grouped: the first line that calls itself an error,
 * as what follows it is its consequence, though never the download's when there is another; else the last that sounds
 * like one.
 */
export function reasonOf({ details, execution }: Pick<Feedback, 'details' | 'execution'>) {
  const lines = details.map((each) => clean(each, 500)).filter((line) => line !== '' && !NOISE.test(line))
  const errors = lines.filter((line) => ERROR.test(line))
  const cause = errors.find((line) => !CONSEQUENCE.test(line)) ?? errors[0]
  const error = cause?.replace(/^(?:last)?error\s*:\s*/i, '')
  return error ?? lines.findLast((line) => TELLING.test(line)) ?? lines.at(-1) ?? DEFAULT_WORDS[execution] ?? ''
}

/** At most so many lines of a report, in their order: its errors first of all, then the latest. */
export function mostTelling(details: readonly string[], most: number): readonly string[] {
  if (details.length <= most) return details
  const errors = new Set(errorLines(details).slice(0, most))
  const spare = most - errors.size
  const others = new Set(spare > 0 ? details.filter((line) => !errors.has(line)).slice(-spare) : [])
  return details.filter((line) => errors.has(line) || others.has(line)).slice(0, most)
}

/** Of earlier reports the lines that may be the cause: SWUpdate sends its log in pieces, the telling one first or last. */
export const errorLines = (details: readonly string[]) => details.filter((line) => ERROR.test(line))
