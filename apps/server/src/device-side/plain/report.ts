import { TASK } from '@oms/contract/ota-task.ts'
import { clean, missing, wrong } from '../answer.ts'
import { type LockedTask, note, type Step } from '../tasks.ts'
import type { PlainAnswer, PlainCall } from './routes.ts'

const STATES = {
  downloading: TASK.downloading,
  downloaded: TASK.downloaded,
  installing: TASK.installing,
  succeeded: TASK.succeeded,
  failed: TASK.failed,
  cancelled: TASK.cancelled,
  confirmed: TASK.offered,
  denied: TASK.confirming,
} as const
type Word = keyof typeof STATES

/** `report`: how far a device got with a task. Answers whether it should stop. */
export async function report({ side, slot, body }: PlainCall): Promise<PlainAnswer> {
  const taskId = Number(body.taskId)
  if (!Number.isInteger(taskId) || taskId < 1 || taskId > 2 ** 31 - 1) throw wrong('taskId is missing')
  const word = String(body.state) as Word
  if (!Object.hasOwn(STATES, word)) throw wrong(`state must be one of ${Object.keys(STATES).join(', ')}`)
  const message = clean(body.message, 500)
  const entry = {
    execution: word,
    code: typeof body.code === 'number' ? body.code : null,
    details: message ? [message] : [],
  }
  const progress = typeof body.progress === 'number' && Number.isFinite(body.progress) ? body.progress : undefined
  const isCancelling = await side.tasks.change(slot, taskId, async (db, task) => {
    await note(db, task, entry, stepOf(task, word, { message, progress, code: entry.code }))
    return task.state === TASK.cancelling && STATES[word] < TASK.succeeded
  })
  if (STATES[word] >= TASK.succeeded) {
    side.tasks.forget(taskId)
    side.downloads.forget(taskId)
  }
  return { status: 200, body: isCancelling ? { taskId, cancel: true } : { taskId } }
}

interface Said {
  readonly message: string
  readonly progress: number | undefined
  readonly code: number | null
}

function stepOf(task: LockedTask, word: Word, { message, progress, code }: Said): Step {
  if (word === 'succeeded') return { state: TASK.succeeded, reason: '' }
  if (word === 'failed') return { state: TASK.failed, reason: message || '设备报告升级失败', code }
  if (word === 'cancelled') return { state: TASK.cancelled, reason: message || '设备取消了升级' }
  if (word === 'confirmed' || word === 'denied') {
    if (task.state !== TASK.confirming) throw missing('confirmation')
    return word === 'confirmed' ? { state: TASK.offered } : { reason: message || '设备用户尚未同意' }
  }
  if (task.state === TASK.cancelling || task.state === TASK.confirming) return {}
  // A report that comes late does not take a task back.
  return { state: Math.max(task.state, STATES[word]), ...(progress !== undefined && { progress }) }
}
