import { TASK } from '@oms/contract/ota-task.ts'
import { DeviceProblem, missing, sendEmpty, sendJson } from '../answer.ts'
import { type Feedback, readFeedback, reasonOf } from '../feedback.ts'
import type { Call } from '../side.ts'
import { note, type Step } from '../tasks.ts'
import { openTask } from './deployment.ts'

export async function getCancel(call: Call, taskId: number) {
  const task = await openTask(call, taskId)
  if (task.state !== TASK.cancelling) throw missing('cancellation')
  sendJson(call.request, call.response, 200, { id: String(taskId), cancelAction: { stopId: String(taskId) } })
}

export async function postCancelFeedback(call: Call, taskId: number) {
  const { side, slot, request, response } = call
  const feedback = await readFeedback(request)
  await side.tasks.change(slot, taskId, (db, task) => {
    if (task.state !== TASK.cancelling) throw new DeviceProblem(405, 'this action is not being cancelled')
    return note(db, task, feedback, stepOf(feedback))
  })
  sendEmpty(response)
}

/** Refused, or failed to stop: the update goes on. `canceled` alone is a remark; the answer is `closed`. */
function stepOf(feedback: Feedback): Step {
  const { execution, finished } = feedback
  const goesOn = execution === 'rejected' || (execution === 'closed' && finished === 'failure')
  if (goesOn) return { state: TASK.installing, reason: reasonOf(feedback) || '设备拒绝取消' }
  if (execution === 'closed') return { state: TASK.cancelled, reason: reasonOf(feedback) || '设备已取消升级' }
  return {}
}
