import { TASK } from '@oms/contract/ota-task.ts'
import type { OpenTask } from '#kernel/fleet/state.ts'
import type { Feedback } from './feedback.ts'
import type { Call } from './side.ts'
import type { LockedTask } from './tasks.ts'
import type { Querying } from './writes.ts'

/**
 * Seconds until a task may go on that its release's daily window holds; undefined: nothing holds it. What is being
 * installed is never stopped: half an installation is worse than one at noon.
 */
export function shutFor({ side, now }: Pick<Call, 'side' | 'now'>, task: OpenTask): number | undefined {
  if (task.state >= TASK.installing) return undefined
  const { fleet } = side.kernel
  const window = fleet.dailyWindow(task, fleet.moment(now))
  return window && !window.isOpen ? Math.max(1, window.opensIn) * 60 : undefined
}

/** As hawkBit says it: outside of the window an update may be fetched, not installed. Absent where there is no window. */
export function windowOf(call: Pick<Call, 'side' | 'now'>, task: OpenTask) {
  const { fleet } = call.side.kernel
  if (!fleet.dailyWindow(task, fleet.moment(call.now))) return {}
  return shutFor(call, task) === undefined
    ? { maintenanceWindow: 'available' }
    : { update: 'skip', maintenanceWindow: 'unavailable' }
}

/** What the log of a task says when its device was told to skip. */
export const SKIPPED = '不在发布的每日时间段内，设备稍后再升级'
const LAST = 'select details from ota_task_logs where task_id = $1 order by id desc limit 1'

/** Notes that the device was told to skip, once however often it asks. */
export async function noteSkip(db: Querying, { taskId, state }: LockedTask) {
  const { rows } = await db.query<{ details: string[] }>(LAST, [taskId])
  if (rows[0]?.details[0] === SKIPPED) return
  const said = 'insert into ota_task_logs (task_id, state, details) values ($1, $2, $3)'
  await db.query(said, [taskId, state, [SKIPPED]])
}

/** SWUpdate closes what it was told to skip, as a success: nothing was installed, and the order stands. */
export async function isSkipped(db: Querying, { taskId, state }: LockedTask, { execution, finished }: Feedback) {
  if (execution !== 'closed' || finished === 'failure' || state >= TASK.installing) return false
  const { rows } = await db.query<{ details: string[] }>(LAST, [taskId])
  return rows[0]?.details[0] === SKIPPED
}
