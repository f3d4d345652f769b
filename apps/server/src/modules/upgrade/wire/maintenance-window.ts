import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import type { DdiCall } from '#main/devices/device-services.ts'
import type { OpenTask } from '#modules/device/fleet/state.ts'
import type { Feedback } from './feedback.ts'
import type { LockedTask, StatementClient } from './tasks.ts'

/**
 * True when the task is withheld because its release is paused. A device that has started the download continues. A
 * task pushed by a person is independent of the release.
 */
export function isReleasePaused({ side }: Pick<DdiCall, 'side'>, task: OpenTask): boolean {
  if (task.pushed || task.state >= TASK_STATE_CODE.downloading) return false
  return side.services.fleet.state.rules.get(task.otaId)?.state === PAUSED
}
/** Value of RELEASE_STATE in the contract. */
const PAUSED = 3

/**
 * Returns the seconds until the daily window permits the task; undefined when nothing prevents the task. A running
 * installation is never stopped, because a partial installation is worse than one outside the window.
 */
export function computeSecondsUntilOpen(
  { side, now }: Pick<DdiCall, 'side' | 'now'>,
  task: OpenTask,
): number | undefined {
  if (task.state >= TASK_STATE_CODE.installing) return undefined
  const { fleet } = side.services
  const window = fleet.dailyWindow(task, fleet.moment(now))
  return window && !window.isOpen ? Math.max(1, window.opensIn) * 60 : undefined
}

/**
 * Returns hawkBit's maintenance window: outside the window an update may be downloaded, not installed. Absent
 * without a window.
 */
export function findMaintenanceWindow(call: Pick<DdiCall, 'side' | 'now'>, task: OpenTask) {
  const { fleet } = call.side.services
  if (!fleet.dailyWindow(task, fleet.moment(call.now))) return {}
  return computeSecondsUntilOpen(call, task) === undefined
    ? { maintenanceWindow: 'available' }
    : { update: 'skip', maintenanceWindow: 'unavailable' }
}

/** Log text of a task whose device must skip the installation. */
export const SKIPPED_TEXT = '不在发布的每日时间段内，设备稍后再升级'
const LAST = 'select details from ota_task_logs where task_id = $1 order by id desc limit 1'

/** Records once that the device must skip the installation. */
export async function recordSkip(db: StatementClient, { taskId, state }: LockedTask) {
  const { rows } = await db.query<{ details: string[] }>(LAST, [taskId])
  if (rows[0]?.details[0] === SKIPPED_TEXT) return
  const said = 'insert into ota_task_logs (task_id, state, details) values ($1, $2, $3)'
  await db.query(said, [taskId, state, [SKIPPED_TEXT]])
}

/** True when SWUpdate closes a skipped task as a success although nothing was installed. The task stays open. */
export async function isSkippedInstallation(
  db: StatementClient,
  { taskId, state }: LockedTask,
  { execution, isFailure, isUnderstood }: Feedback,
) {
  if (execution !== 'closed' || isFailure || !isUnderstood || state >= TASK_STATE_CODE.installing) return false
  const { rows } = await db.query<{ details: string[] }>(LAST, [taskId])
  return rows[0]?.details[0] === SKIPPED_TEXT
}
