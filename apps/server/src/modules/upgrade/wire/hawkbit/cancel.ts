import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { DeviceError, notFound, sendEmpty, sendJson } from '#modules/device/wire/response.ts'
import { toLogEntry, type Feedback, readFeedback, findFailureReason } from '../releases/feedback.ts'
import { UNREADABLE_REPORT } from '../releases/report-words.ts'
import type { DdiCall } from '#main/devices/device-services.ts'
import { recordTaskStep, type TaskStep } from '../releases/tasks.ts'
import { findOpenTask } from './deployment.ts'

export async function getCancel(call: DdiCall, taskId: number) {
  const task = await findOpenTask(call, taskId)
  if (task.state !== TASK_STATE_CODE.cancelling) throw notFound('cancellation')
  sendJson(call.request, call.response, 200, { id: String(taskId), cancelAction: { stopId: String(taskId) } })
}

export async function postCancelFeedback(call: DdiCall, taskId: number) {
  const { side, slot, request, response } = call
  const feedback = await readFeedback(request)
  await side.tasks.change(slot, taskId, (db, task) => {
    if (task.state !== TASK_STATE_CODE.cancelling) throw new DeviceError(405, 'this action is not being cancelled')
    return recordTaskStep(db, task, toLogEntry(feedback), stepOf(feedback))
  })
  sendEmpty(response)
}

/**
 * Returns the state of the task after the report, with the same rules as hawkBit. The update continues only after a
 * rejected cancellation.
 */
function stepOf(feedback: Feedback): TaskStep {
  const { execution, isFailure, isUnderstood } = feedback
  const reason = findFailureReason(feedback)
  if (isFailure) return { state: TASK_STATE_CODE.failed, reason: reason || '设备取消升级失败' }
  if (!isUnderstood) return { reason: UNREADABLE_REPORT }
  if (execution === 'rejected') return { state: TASK_STATE_CODE.installing, reason: reason || '设备拒绝取消' }
  if (execution === 'closed' || execution === 'canceled')
    return { state: TASK_STATE_CODE.cancelled, reason: reason || '设备已取消升级' }
  return {}
}
