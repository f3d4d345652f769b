import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { sanitizeDeviceText, notFound, badRequest } from '#modules/device/wire/response.ts'
import {
  formatResultCode,
  isFailureWord,
  splitUnreadableReport,
  formatJsonValue,
  UNREADABLE_REPORT,
} from '../releases/report-words.ts'
import { type LockedTask, recordTaskStep, type TaskStep } from '../releases/tasks.ts'
import type { PlainResponse, PlainCall } from '#modules/device/wire/request.ts'

const STATES = {
  downloading: TASK_STATE_CODE.downloading,
  downloaded: TASK_STATE_CODE.downloaded,
  installing: TASK_STATE_CODE.installing,
  succeeded: TASK_STATE_CODE.succeeded,
  failed: TASK_STATE_CODE.failed,
  cancelled: TASK_STATE_CODE.cancelled,
  confirmed: TASK_STATE_CODE.offered,
  denied: TASK_STATE_CODE.confirming,
} as const
type Word = keyof typeof STATES

/** Handles `report`: stores the progress of a task. Returns whether the device should stop. */
export async function handleUpdateReport(call: PlainCall): Promise<PlainResponse> {
  const { side, slot, body, raw } = call
  const taskId = taskOf(call)
  const said = formatJsonValue(body.state).toLowerCase()
  const word = wordOf(said)
  // An incompletely parsed report can only fail a task.
  const counts = word !== undefined && (raw === undefined || word === 'failed')
  const message = sanitizeDeviceText(formatJsonValue(body.message), 500)
  const entry = {
    execution: said || 'unreadable',
    code: formatResultCode(body.code),
    details: raw === undefined ? (message ? [message] : []) : splitUnreadableReport(raw),
  }
  const progress = typeof body.progress === 'number' && Number.isFinite(body.progress) ? body.progress : undefined
  const isCancelling = await side.tasks.change(slot, taskId, async (db, task) => {
    const step = counts ? stepOf(task, word, { message, progress, code: entry.code }) : { reason: UNREADABLE_REPORT }
    await recordTaskStep(db, task, entry, step)
    return task.state === TASK_STATE_CODE.cancelling && !(counts && STATES[word] >= TASK_STATE_CODE.succeeded)
  })
  if (word === undefined)
    throw badRequest(`state must be one of ${Object.keys(STATES).join(', ')}; the report was kept`)
  if (!counts) throw badRequest('the body is not JSON; the report was kept')
  if (STATES[word] >= TASK_STATE_CODE.succeeded) {
    side.tasks.forget(taskId)
    side.downloads.forget(taskId)
  }
  return { status: 200, body: isCancelling ? { taskId, cancel: true } : { taskId } }
}

/** Returns the state a report names; other words for a failure are `failed`. */
function wordOf(said: string): Word | undefined {
  if (Object.hasOwn(STATES, said)) return said as Word
  return isFailureWord(said) ? 'failed' : undefined
}

/** Returns the task of a report: the named task, or the only open task of the device. */
function taskOf({ side, slot, body, raw }: PlainCall): number {
  const taskId = Number(formatJsonValue(body.taskId) || 0)
  if (Number.isInteger(taskId) && taskId > 0 && taskId <= 2 ** 31 - 1) return taskId
  const [only, ...others] = side.services.fleet.state.openTasks(slot)
  if (raw === undefined || !only || others.length > 0) throw badRequest('taskId is missing')
  return only.taskId
}

interface Said {
  readonly message: string
  readonly progress: number | undefined
  readonly code: string | null
}

function stepOf(task: LockedTask, word: Word, { message, progress, code }: Said): TaskStep {
  if (word === 'succeeded') return { state: TASK_STATE_CODE.succeeded, reason: '' }
  if (word === 'failed') return { state: TASK_STATE_CODE.failed, reason: message || '设备报告升级失败', code }
  if (word === 'cancelled') return { state: TASK_STATE_CODE.cancelled, reason: message || '设备取消了升级' }
  if (word === 'confirmed' || word === 'denied') {
    if (task.state !== TASK_STATE_CODE.confirming) throw notFound('confirmation')
    return word === 'confirmed' ? { state: TASK_STATE_CODE.offered } : { reason: message || '设备用户尚未同意' }
  }
  if (task.state === TASK_STATE_CODE.cancelling || task.state === TASK_STATE_CODE.confirming) return {}
  // A late report does not set a task back.
  return { state: Math.max(task.state, STATES[word]), ...(progress !== undefined && { progress }) }
}
